import FocusCore
import Testing

@testable import Answers
@testable import EventStore

/// The text that `focusctl projections status` prints for an unfinished generation.
@Suite struct ProjectionStatusTextTests {
    private func rebuild(
        _ standing: UnfinishedRebuild.Standing, _ change: (inout UnfinishedRebuild) -> Void = { _ in }
    ) -> UnfinishedRebuild {
        var rebuild = UnfinishedRebuild(
            generation: 2, foldVersion: 7, kind: .rebuild, verifies: false, startedAt: Timestamp(microseconds: 0),
            partitions: 4, filled: 3, cutOver: 0, events: 250, eventsTotal: 1_000, standing: standing)
        change(&rebuild)
        return rebuild
    }

    private func lines(_ rebuild: UnfinishedRebuild?) -> [String] {
        let partition = PartitionProjection(
            partition: Partition(0), generation: 1, foldVersion: 7, checkpoint: LogOffset(5), head: LogOffset(8),
            lagMicroseconds: 1_500_000, laggards: 2)
        let table = TableSize(generation: 1, table: "badges", rows: 3, bytes: 8_192)
        return ProjectionStatusText.lines(ProjectionStatus(partitions: [partition], tables: [table], rebuild: rebuild))
    }

    @Test("A partition's line says how far it lags behind, and how many users the checkpoint has passed")
    func partition() {
        #expect(lines(nil)[3].split(separator: " ").map(String.init) == ["0", "1", "7", "5", "8", "3", "1.500", "2"])
    }

    @Test("A rebuild at work is told behind the tables: since when, by which fold, and how far it is")
    func working() {
        let shown = lines(rebuild(.working) { $0.verifies = true })
        #expect(
            Array(shown.suffix(4)) == [
                "", "Generation 2 is on its way: a rebuild since 1970-01-01T00:00:00.000000Z, fold 7, verifying.",
                "3 of 4 partitions filled, 0 cut over; 250 of 1000 events done (25 %).", "A process works on it.",
            ])
        #expect(shown.dropLast(4) == lines(nil)[...], "the tables are as without it")
        #expect(!lines(nil).contains { $0.contains("on its way") })
    }

    @Test("An interrupted rebuild says how it goes on, and how it is given up as long as nobody is shown any of it")
    func interrupted() {
        #expect(
            lines(rebuild(.resumable)).last
                == "No process works on it. `focusctl projections rebuild --resume` goes on; "
                + "`focusctl projections drop-old` gives it up.")
        let shown = lines(rebuild(.resumable) { $0.cutOver = 1 })
        #expect(shown.last == "No process works on it. `focusctl projections rebuild --resume` goes on.")
        #expect(shown[shown.count - 2].hasPrefix("3 of 4 partitions filled, 1 cut over; "))
    }

    @Test("A rebuild by another fold says that this program cannot resume it, and which can")
    func otherFold() throws {
        let last = try #require(lines(rebuild(.otherFold)).last)
        #expect(last.contains("it has fold \(FocusCore.foldVersion). A focusctl of fold 7 resumes it with"))
    }

    @Test("A rollback folds no events, so it tells of partitions alone")
    func rollback() {
        let shown = lines(rebuild(.working) { ($0.kind, $0.events, $0.eventsTotal) = (.rollback, 0, 0) })
        #expect(shown[shown.count - 3].contains(": a rollback since "))
        #expect(shown[shown.count - 2] == "3 of 4 partitions filled, 0 cut over.")
    }
}
