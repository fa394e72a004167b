import EventStore
import FocusCore
import Logging
import NIOConcurrencyHelpers

/// Looks up what the log holds at earlier places of devices (rule E1), on a thread and a connection of its own, so that
/// a device which sends again what was logged long ago delays nobody's appends. Connects when it is first needed.
final class PlaceFinder: Sendable {
    private struct Work: Sendable {
        var session: UInt64
        var question: PlaceQuestion
    }

    /// Nil ends the thread. A session has one question under way, which bounds what waits here.
    private let mailbox = Mailbox<Work?>()
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let configuration: StoreConfiguration
    private let logger: Logger
    private let isStopping: @Sendable () -> Bool
    private let report: @Sendable (UInt64, FoundPlaces?) -> Void

    /// - Parameters:
    ///   - isStopping: true ends the wait for a database that is away.
    ///   - report: called on the finder's thread with each session and what was found; nil when the log could not be
    ///     asked.
    init(
        configuration: StoreConfiguration, logger: Logger, isStopping: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (UInt64, FoundPlaces?) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.isStopping = isStopping
        self.report = report
    }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "places") { [self] in run() } }
    }

    func post(_ question: PlaceQuestion, session: UInt64) { mailbox.post(Work(session: session, question: question)) }

    /// Ends the thread. Questions that wait get no answer: their sessions are ended by the shut-down.
    func stop() {
        mailbox.post(nil)
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let logger = logger
        let store = StoreConnection(
            configuration, isStopping: isStopping,
            onTrouble: { logger.warning("place finder lacks the database", metadata: ["error": "\($0)"]) })
        defer { store.close() }
        while true {
            for work in mailbox.take() {
                guard let work, !isStopping() else { return }
                report(work.session, find(work.question, store))
            }
        }
    }

    private func find(_ question: PlaceQuestion, _ store: StoreConnection) -> FoundPlaces? {
        do {
            // A new connection may reach another PostgreSQL server. That one must hold the last event that the lane
            // knows.
            let anchors = question.anchor.map { [question.partition: $0] } ?? [:]
            store.anchors = { anchors }
            return try store.places(question)
        } catch {
            // For one, another generation of the read model may be shown since. Or the log lost events, which the lane
            // finds out for itself.
            logger.error("places not found", metadata: ["user": "\(question.user)", "error": "\(error)"])
            return nil
        }
    }
}
