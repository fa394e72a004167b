import NIOConcurrencyHelpers

/// Bounds the bytes of requests that were read from sockets and are not yet dealt with, over all sessions: appends
/// until they are answered, others until their lane takes them up (`LaneRequest.cost`). A session that sends past the
/// limit is not read from until half of the budget is free again.
final class InboundBudget: Sendable {
    private struct State {
        var used = 0
        var waiting: [@Sendable () -> Void] = []
    }

    let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    /// Charges `bytes` even past the limit: they are in memory already.
    /// - Parameter resume: called once, on any thread, when the caller may read again. Kept only if the result is
    ///   false.
    /// - Returns: whether the caller may go on reading.
    func reserve(_ bytes: Int, resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLockedValue {
            $0.used += bytes
            guard $0.used > limit else { return true }
            $0.waiting.append(resume)
            return false
        }
    }

    /// Gives bytes back that `reserve` charged.
    func release(_ bytes: Int) {
        let resumed: [@Sendable () -> Void] = state.withLockedValue { state in
            state.used -= bytes
            guard state.used <= limit / 2, !state.waiting.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in resumed { resume() }
    }

    var used: Int { state.withLockedValue { $0.used } }
}
