import EventStore
import NIOConcurrencyHelpers

/// Shows how far a rebuild is: each of its stages has a line of its own.
final class RebuildDisplay: Sendable {
    private struct State {
        var stage: RebuildProgress.Stage?
        var display: ProgressDisplay?
    }

    private let state = NIOLockedValueBox(State())

    func show(_ progress: RebuildProgress) {
        state.withLockedValue { state in
            if state.stage != progress.stage {
                state.display?.clear()
                state.stage = progress.stage
                state.display = ProgressDisplay(total: progress.total, of: Self.noun(progress.stage))
            }
            state.display?.show(progress.done)
        }
    }

    func clear() { state.withLockedValue { $0.display?.clear() } }

    private static func noun(_ stage: RebuildProgress.Stage) -> String {
        switch stage {
        case .filling: "events folded"
        case .verifying: "users verified"
        case .comparing: "users compared"
        case .cuttingOver: "partitions shown"
        }
    }
}
