import NIOConcurrencyHelpers

/// Bounds the bytes of appends that were taken from sockets and are not yet acknowledged, over all sessions: past it no
/// more is read from whoever sends, until half of it is free again.
final class InboundBudget: Sendable {
    private struct State {
        var used = 0
        var waiting: [@Sendable () -> Void] = []
    }

    let limit: Int
    private let state = NIOLockedValueBox(State())

    init(limit: Int) { self.limit = limit }

    /// Takes `bytes` in any case, as they are in memory already. False: stop reading; `resume` is called when to go on.
    func take(_ bytes: Int, resume: @escaping @Sendable () -> Void) -> Bool {
        state.withLockedValue {
            $0.used += bytes
            guard $0.used > limit else { return true }
            $0.waiting.append(resume)
            return false
        }
    }

    func give(_ bytes: Int) {
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
