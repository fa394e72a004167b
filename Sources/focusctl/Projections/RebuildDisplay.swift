import EventStore
import NIOConcurrencyHelpers

/// Shows how far a rebuild is: each of its stages has a line and a start time of its own. Partitions are at different
/// stages at the same time; the first stage that is not done is shown.
final class RebuildDisplay: Sendable {
    private struct Line {
        var display: ProgressDisplay
        var isDone = false
    }

    private let lines = NIOLockedValueBox<[RebuildProgress.Stage: Line]>([:])

    func show(_ progress: RebuildProgress) {
        lines.withLockedValue { lines in
            var line =
                lines[progress.stage]
                ?? Line(
                    display: ProgressDisplay(
                        total: progress.total, of: Self.noun(progress.stage), begun: progress.done))
            line.isDone = progress.done >= progress.total
            if Self.isFirst(progress.stage, lines) { line.display.show(progress.done, of: progress.total) }
            lines[progress.stage] = line
        }
    }

    private static func isFirst(_ stage: RebuildProgress.Stage, _ lines: [RebuildProgress.Stage: Line]) -> Bool {
        RebuildProgress.Stage.allCases.prefix { $0 != stage }.allSatisfy { lines[$0]?.isDone ?? true }
    }

    func clear() { lines.withLockedValue { $0.values.first?.display.clear() } }

    private static func noun(_ stage: RebuildProgress.Stage) -> String {
        switch stage {
        case .filling: "events folded"
        case .verifying: "users verified"
        case .comparing: "users compared"
        case .cuttingOver: "partitions shown"
        }
    }
}
