import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Waits

/// Measures how long a durable commit takes, because every append waits for one, and lets a rebuild work less while
/// commits take longer than they did before it began.
///
/// Flow: some commits before the work; the slow ones among them give the limit → one commit every `interval` beside the
/// work. A commit over the limit cuts the rebuild's share of the time by a third, one below raises it by half a per
/// cent. The two are in balance when about one commit in eighty is late.
final class CommitLatencyProbe: Sendable {
    private static let interval = 0.05
    /// How many commits are measured before the work, and how many seconds lie between them.
    private static let calmCount = 20
    private static let calmInterval = 0.01
    /// A commit is late when it takes `tolerance` times as long as the slow commits before the work did, and also at
    /// least `leastDelay` seconds longer.
    private static let (tolerance, leastDelay) = (2.0, 0.004)
    private static let (afterLate, afterTimely) = (0.67, 1.005)
    /// The least share. Commits may have become slow for reasons that have nothing to do with the rebuild, and it must
    /// come to an end all the same.
    static let leastShare = 0.25

    private struct State {
        var share = 1.0
        var isStopping = false
    }

    private let state = NIOLockedValueBox(State())
    private let thread = NIOLockedValueBox<PostgresThread?>(nil)

    /// Measures commits before the work, for about a third of a second. The rebuild must not have begun.
    init(_ configuration: PostgresConfiguration) throws {
        let connection = try PostgresConnection(configuration)
        try SessionRole.assume(on: connection)
        // The first one is not measured, because PostgreSQL plans it.
        _ = try Self.seconds(on: connection)
        var calm: [Double] = []
        for _ in 0..<Self.calmCount {
            Deadline.after(seconds: Self.calmInterval).sleep()
            calm.append(try Self.seconds(on: connection))
        }
        let limit = Self.limit(calm)
        // unsafe: from here on the probe's thread alone uses the connection.
        nonisolated(unsafe) let own = connection
        let started = try PostgresThread(name: "commit-probe") { [state] in
            defer { own.close() }
            while !state.withLockedValue({ $0.isStopping }) {
                Deadline.after(seconds: Self.interval).sleep()
                // The rebuild uses the same database, and reports what is wrong with it.
                guard let seconds = try? Self.seconds(on: own) else { return }
                state.withLockedValue { $0.share = Self.share($0.share, isLate: seconds > limit) }
            }
        }
        thread.withLockedValue { $0 = started }
    }

    /// How much of the allowed load a rebuild may use now, `leastShare` … 1.
    var share: Double { state.withLockedValue { $0.share } }

    func stop() {
        state.withLockedValue { $0.isStopping = true }
        thread.withLockedValue { $0.take() }?.join()
    }

    /// How many seconds make a commit late. The second slowest of `calm` decides: the slowest may have been chance.
    static func limit(_ calm: [Double]) -> Double {
        let sorted = calm.sorted()
        let slow = sorted.dropLast().last ?? sorted.last ?? 1
        return max(tolerance * slow, slow + leastDelay)
    }

    static func share(_ share: Double, isLate: Bool) -> Double {
        min(1, max(leastShare, share * (isLate ? afterLate : afterTimely)))
    }

    private static func seconds(on connection: PostgresConnection) throws -> Double {
        let begin = ContinuousClock.now
        _ = try connection.query(Queries.commitPulse)
        return (ContinuousClock.now - begin) / .seconds(1)
    }
}
