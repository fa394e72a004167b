import FocusCore
import NIOConcurrencyHelpers

/// Bytes of a request, as they are charged to the inbound budget.
struct InboundCharge: Hashable, Sendable {
    var bytes: Int
    /// Whose part of it they count in.
    var owner: ConnectionOwner
}

/// Bounds the bytes of requests that were read from sockets and are not yet dealt with, over all sessions: appends
/// until they are answered, and a large answer has left, others until their lane takes them up (`LaneRequest.charge`).
///
/// A user's devices may hold a share together, and no more than is free yet (rule Q7): past that a session of theirs is
/// not read from until they hold half as much. A user who has nothing unanswered is read from, however much others have.
/// These are the dynamic thresholds of shared-memory switches (Choudhury and Hahne 1998).
final class InboundBudget: Sendable {
    private typealias Resume = @Sendable () -> Void

    /// What one owner holds.
    private struct Use {
        var used = 0
        /// Sessions that are not read from. Their owner holds something, so they are looked at again when that is released.
        var waiting: [Resume] = []
    }

    private struct State {
        var used = 0
        var of: [ConnectionOwner: Use] = [:]
    }

    let limit: Int
    /// What one user's devices may hold.
    let share: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { (self.limit, share) = (limit, limit / 8) }

    /// Charges bytes even past the bound: they are in memory already.
    /// - Parameter resume: called once, on any thread, when the caller may read again. Kept only if the result is
    ///   false.
    /// - Returns: whether the caller may go on reading.
    func reserve(_ charge: InboundCharge, resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLockedValue { state in
            state.used += charge.bytes
            state.of[charge.owner, default: Use()].used += charge.bytes
            guard let used = state.of[charge.owner]?.used, used > bound(state) else { return true }
            state.of[charge.owner]?.waiting.append(resume)
            return false
        }
    }

    /// Whether requests of the owner may be taken up: it holds no more than it may.
    /// - Parameter resume: as for `reserve`.
    func admits(_ owner: ConnectionOwner, resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLockedValue { state in
            guard let used = state.of[owner]?.used, used > bound(state) else { return true }
            state.of[owner]?.waiting.append(resume)
            return false
        }
    }

    /// Gives back what `reserve` charged.
    func release(_ charge: InboundCharge) {
        let resumed: [Resume] = state.withLockedValue { state in
            state.used -= charge.bytes
            guard var use = state.of.removeValue(forKey: charge.owner) else { return [] }
            use.used -= charge.bytes
            let resumed = use.used <= bound(state) / 2 ? use.waiting : []
            if !resumed.isEmpty { use.waiting = [] }
            if use.used > 0 { state.of[charge.owner] = use }
            return resumed
        }
        for resume in resumed { resume() }
    }

    /// What one owner may hold now.
    private func bound(_ state: State) -> Int { min(share, max(0, limit - state.used)) }

    var used: Int { state.withLockedValue { $0.used } }
}
