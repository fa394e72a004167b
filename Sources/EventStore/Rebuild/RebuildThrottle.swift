import Foundation
import Waits

/// Keeps a worker idle for its share of the time, so that appends find the database free. Where PostgreSQL runs on this
/// machine, workers also idle in turn, so that a processor is free for appends.
final class RebuildThrottle {
    private let load: Int
    private let probe: CommitLatencyProbe?
    private let slots: DispatchSemaphore?
    private let work: RebuildWork
    private var since = ContinuousClock.now
    private var hasSlot = false

    /// - Parameters:
    ///   - load: percent, 1…100.
    ///   - probe: lowers the load while commits are late.
    ///   - slots: how many may work at once.
    init(load: Int, probe: CommitLatencyProbe?, slots: DispatchSemaphore?, work: RebuildWork) {
        self.load = min(max(load, 1), 100)
        self.probe = probe
        self.slots = slots
        self.work = work
        begin()
    }

    /// Idles for the worker's share of the time. Call it between transactions. Throws `RebuildStopped` when another
    /// worker has failed.
    func pause() throws {
        guard !work.isStopped else { throw RebuildStopped() }
        let load = Double(load) / 100 * (probe?.share ?? 1)
        let now = ContinuousClock.now
        let idle = (now - since) / .seconds(1) * (1 - load) / load
        end()
        // Without the limit of 1 s, a long transaction would be followed by minutes of idling.
        if idle > 0 { Deadline.after(seconds: min(idle, 1)).sleep() }
        begin()
    }

    /// Frees the slot for other workers. Has no effect when called again.
    func end() {
        guard hasSlot else { return }
        hasSlot = false
        slots?.signal()
    }

    private func begin() {
        slots?.wait()
        hasSlot = true
        since = .now
    }
}
