import EventStore
import FocusCore
import Foundation
import Logging
import NIOConcurrencyHelpers
import Waits

/// Folds one user after another afresh, chosen at random, and compares the result with the read model, so that a fault
/// is found before somebody meets it. Slow on purpose: it verifies at most one user in an interval, and works for at
/// most a twentieth of the time.
final class BackgroundVerifier: Sendable {
    /// How many times as long as a user took the verifier pauses after it, unless the interval is longer.
    private static let rest = 19.0

    private let store: StoreConfiguration
    private let log: LogIdentity
    private let interval: Duration
    private let logger: Logger
    private let counts = NIOLockedValueBox(VerificationCounts())
    private let thread: NIOLockedValueBox<LaneThread?> = NIOLockedValueBox(nil)
    private let isStopping = NIOLockedValueBox(false)
    private let pausing = StoppablePause()

    init(store: StoreConfiguration, log: LogIdentity, interval: Duration, logger: Logger) {
        self.store = store
        self.log = log
        self.interval = interval
        self.logger = logger
    }

    var found: VerificationCounts { counts.withLockedValue { $0 } }

    func start() {
        thread.withLockedValue { $0 = LaneThread(name: "verifier", priority: .background) { [self] in run() } }
    }

    /// Ends the thread. Blocks until the chunk of events that it reads at the moment is done.
    func stop() {
        isStopping.withLockedValue { $0 = true }
        pausing.stop()
        thread.withLockedValue { $0 }?.join()
    }

    private func run() {
        let (logger, isStopping) = (logger, isStopping)
        let store = StoreConnection(
            store, isStopping: { isStopping.withLockedValue { $0 } },
            onTrouble: { logger.debug("verifier lacks the database", metadata: ["error": "\($0)"]) })
        defer { store.close() }
        var pause = interval / .seconds(1)
        while pausing.sleep(seconds: pause) {
            let begin = ContinuousClock.now
            do {
                try verifySomebody(store)
            } catch is StoreStopped {
                return
            } catch {
                logger.warning("verification failed", metadata: ["error": "\(error)"])
            }
            pause = max(interval / .seconds(1), (ContinuousClock.now - begin) / .seconds(1) * Self.rest)
        }
    }

    private func verifySomebody(_ store: StoreConnection) throws {
        let partition = Partition(Int32.random(in: 0..<log.partitions))
        guard let head = try store.heads(of: [partition]).first, let user = try store.anyUser(of: head) else { return }
        let found = try store.verify(user, in: partition)
        switch found.verdict {
        case .equal: counts.withLockedValue { $0.verified += 1 }
        // Another version of the fold made the rows, as happens during an upgrade: they cannot be compared.
        case .otherFold: break
        case .different(let difference):
            report(
                found,
                [
                    "rows": "\(difference.rowCount)", "digests": "\(difference.digestsDiffer ? "differ" : "equal")",
                    "first": "\(difference.rows.first?.key.collection.rawValue ?? "none")",
                    "since": "\(difference.rows.first?.since?.description ?? "unknown")",
                ])
        case .unfoldable(let version, let reason):
            report(found, ["version": "\(version)", "reason": "\(reason)"])
        }
    }

    private func report(_ found: UserVerification, _ details: Logger.Metadata) {
        let total = counts.withLockedValue { counts in
            counts.verified += 1
            counts.differing += 1
            return counts.differing
        }
        logger.error(
            "the read model is not what the events make: see focusctl projections verify, rebuild",
            metadata: details.merging([
                "user": "\(found.user)", "generation": "\(found.generation)", "differing": "\(total)",
            ]) { $1 })
    }
}
