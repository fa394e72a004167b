import FocusCore
import NIOConcurrencyHelpers

/// Asks all lanes for their figures, and waits a second for them: a lane that waits for its database may answer later,
/// and then the figures are those of the time before.
final class FiguresCollector: Sendable {
    private struct State {
        var last: [LaneFigures]
        /// Lanes that were asked and have not answered.
        var open: Set<Int> = []
        var waiting: [CheckedContinuation<[LaneFigures], Never>] = []
        /// Counts the rounds, so that the end of a second ends its own round alone.
        var round = 0
    }

    private static let patience = Duration.seconds(1)

    private let lanes: [Lane]
    private let state: NIOLockedValueBox<State>

    init(_ lanes: Lanes) {
        self.lanes = lanes.lanes
        state = NIOLockedValueBox(State(last: lanes.lanes.map { _ in LaneFigures() }))
    }

    /// One for each lane. Whoever asks while somebody waits gets the same answer.
    func collect() async -> [LaneFigures] {
        await withCheckedContinuation { done in
            let round: Int? = state.withLockedValue { state in
                state.waiting.append(done)
                guard state.waiting.count == 1 else { return nil }
                state.round += 1
                // A lane that has not answered yet is not asked again: what it will say is as new.
                let asked = Set(lanes.indices).subtracting(state.open)
                state.open = Set(lanes.indices)
                for index in asked { ask(index) }
                return state.round
            }
            guard let round else { return }
            Task { [self] in
                // Nobody cancels it.
                try? await Task.sleep(for: Self.patience)
                finish { $0.round == round }
            }
        }
    }

    private func ask(_ index: Int) {
        lanes[index].post(
            .figures { [self] figures in
                finish { state in
                    state.last[index] = figures
                    state.open.remove(index)
                    return state.open.isEmpty
                }
            })
    }

    /// Answers those who wait, if `isOver` says so.
    private func finish(_ isOver: (inout State) -> Bool) {
        let (waiting, figures) = state.withLockedValue {
            state -> ([CheckedContinuation<[LaneFigures], Never>], [LaneFigures]) in
            guard isOver(&state) else { return ([], []) }
            defer { state.waiting = [] }
            return (state.waiting, state.last)
        }
        for continuation in waiting { continuation.resume(returning: figures) }
    }
}
