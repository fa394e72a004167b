import FocusCore
import NIOConcurrencyHelpers

/// Bytes of a request, as they are charged to the inbound budget.
struct InboundCharge: Hashable, Sendable {
    var bytes: Int
    /// Whose share they count in; nil: nobody's.
    var user: UserID?

    init(bytes: Int, user: UserID? = nil) { (self.bytes, self.user) = (bytes, user) }
}

/// Bounds the bytes of requests that were read from sockets and are not yet dealt with, over all sessions: appends
/// until they are answered, others until their lane takes them up (`LaneRequest.cost`). A session that sends past the
/// limit is not read from until half of the budget is free again.
///
/// A user's devices have a share of it together (rule Q7): past that they are not read from, and nobody else waits for
/// what they sent.
final class InboundBudget: Sendable {
    private typealias Resume = @Sendable () -> Void

    /// What counts against one bound.
    private struct Use {
        var used = 0
        var waiting: [Resume] = []

        /// Those who may go on, once half of the bound is free.
        mutating func resumed(_ limit: Int) -> [Resume] {
            guard used <= limit / 2, !waiting.isEmpty else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private struct State {
        var all = Use()
        var ofUser: [UserID: Use] = [:]
    }

    let limit: Int
    /// What one user's devices may hold.
    let share: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { (self.limit, share) = (limit, limit / 8) }

    /// Charges bytes even past the limit: they are in memory already.
    /// - Parameter resume: called once, on any thread, when the caller may read again. Kept only if the result is
    ///   false.
    /// - Returns: whether the caller may go on reading.
    func reserve(_ charge: InboundCharge, resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLockedValue {
            $0.all.used += charge.bytes
            if let user = charge.user { $0.ofUser[user, default: Use()].used += charge.bytes }
            if let user = charge.user, let use = $0.ofUser[user], use.used > share {
                $0.ofUser[user]?.waiting.append(resume)
                return false
            }
            guard $0.all.used > limit else { return true }
            $0.all.waiting.append(resume)
            return false
        }
    }

    /// Gives back what `reserve` charged.
    func release(_ charge: InboundCharge) {
        let resumed: [Resume] = state.withLockedValue { state in
            state.all.used -= charge.bytes
            var resumed = state.all.resumed(limit)
            if let user = charge.user, var use = state.ofUser[user] {
                use.used -= charge.bytes
                resumed += use.resumed(share)
                state.ofUser[user] = use.used > 0 || !use.waiting.isEmpty ? use : nil
            }
            return resumed
        }
        for resume in resumed { resume() }
    }

    var used: Int { state.withLockedValue { $0.all.used } }
}
