import EventStore
import FocusCore
import Logging

/// Looks up what the log holds at earlier places of devices (rule E1), beside the lane, so that a device which sends
/// again what was logged long ago delays nobody's appends. It is work of the background: a thousand places take it and
/// the database about 4 ms. While only one user asks, the thread rests for three quarters of the time, so that a device
/// which sends the same again and again takes little of the machine (rule Q1).
final class PlaceFinder: Sendable {
    private struct Search: Sendable {
        var session: UInt64
        var question: PlaceQuestion
    }

    private let thread: StoreThread<Search>

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the finder's thread with each session and what was found; nil when the log could not be
    ///     asked.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (UInt64, FoundPlaces?) -> Void
    ) {
        thread = StoreThread(
            "place-finder", configuration, priority: .background, restPerWork: 3, logger: logger,
            isStopping: isStopping, owner: \.question.user
        ) { work, store in
            let found = Self.find(work.question, store, logger)
            report(work.session, found)
            return (nil, work.question.work(found))
        }
    }

    func start() { thread.start() }
    func post(_ question: PlaceQuestion, session: UInt64) { thread.post(Search(session: session, question: question)) }

    /// Ends the thread. Questions that wait get no answer: their sessions are ended by the shut-down.
    func stop() { thread.stop() }

    private static func find(_ question: PlaceQuestion, _ store: StoreConnection, _ logger: Logger) -> FoundPlaces? {
        do {
            // The PostgreSQL server must hold the last event that the lane knows: what it lacks would be logged twice.
            let anchors = question.anchor.map { [question.partition: $0] } ?? [:]
            return try store.asking(anchors) { try store.places(question) }
        } catch {
            // For one, another generation of the read model may be shown since. Or the log lost events, which the lane
            // finds out for itself.
            logger.error("places not found", metadata: ["user": "\(question.user)", "error": "\(error)"])
            return nil
        }
    }
}

extension PlaceQuestion {
    /// The most places that are counted. A frame has fewer events.
    private static let countedPlaces: Int64 = 10_000

    /// The work of having looked the places up, in units of `Work`.
    /// - Parameter found: nil: the log could not be asked, or took too long.
    func work(_ found: FoundPlaces?) -> Int {
        found?.isScanned == false ? work : work + Work.scanned * Int(clamping: version.rawValue)
    }

    /// The work of looking the places up where pages name them, in units of `Work`.
    var work: Int {
        let steps = places.upperBound.rawValue.subtractingReportingOverflow(places.lowerBound.rawValue)
        let isCounted = !steps.overflow && steps.partialValue < Self.countedPlaces
        return Work.lookUp + Work.place * Int(clamping: isCounted ? steps.partialValue + 1 : Self.countedPlaces)
    }
}
