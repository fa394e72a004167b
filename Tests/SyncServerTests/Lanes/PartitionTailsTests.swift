import EventStore
import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Where the log stands, as far as a lane knows.
@Suite struct PartitionTailsTests {
    private let partition = Partition(3)

    private func tails(_ head: PartitionHead? = nil) -> PartitionTails {
        let tails = PartitionTails([partition]) { _ in }
        if let head { tails.move(to: head) }
        return tails
    }

    private func head(
        _ offset: Int64, _ event: EventID = .random(), generation: Int32 = 1, at time: Int64 = 1_000
    ) -> PartitionHead {
        PartitionHead(
            partition: partition, nextOffset: LogOffset(offset), lastEvent: event,
            lastRecordedAt: Timestamp(microseconds: time), generation: generation)
    }

    @Test("A lane is behind a head with more events, or with another generation; behind its own it is not")
    func isBehind() throws {
        let known = head(5)
        let tails = tails(known)
        #expect(try !tails.isBehind(known))
        #expect(try tails.isBehind(head(6)))
        #expect(try tails.isBehind(head(5, known.lastEvent, generation: 2)))
    }

    @Test("S6: a head with fewer events, or with another event at the end, or at another time, is of another history")
    func fellBack() {
        let known = head(5)
        for other in [head(4), head(5), head(5, known.lastEvent, at: 1_001)] {
            #expect(throws: LogTruncated(partition)) { try tails(known).isBehind(other) }
        }
    }

    @Test("What the log must hold is each partition's last event; nothing where there is none, or nothing is known")
    func anchors() {
        let known = head(5)
        let tails = tails(known)
        #expect(tails.anchors == [partition: known.anchor!])
        tails.forget()
        #expect(tails.anchors.isEmpty && tails[partition].nextOffset == .zero)
    }

    @Test(
        "P1: what was read is not safe to tell; a commit that waited, sent when it was known, makes it so on its connection"
    )
    func isSafe() {
        let known = head(5)
        let tails = tails(known)
        #expect(!tails.isSafe(partition, on: 1))
        tails.commitWaited(behind: tails.known, on: 1)
        #expect(tails.isSafe(partition, on: 1) && !tails.isSafe(partition, on: 2))
        tails.move(to: head(6))
        #expect(!tails.isSafe(partition, on: 1))
    }

    @Test("P1: on another timeline nothing is safe to tell; on the first that is seen nothing changes")
    func timelines() {
        let tails = tails(head(5))
        tails.commitWaited(behind: tails.known, on: 1)
        tails.move(to: Timeline(name: "1"))
        #expect(tails.isSafe(partition, on: 1))
        tails.move(to: Timeline(name: "1"))
        #expect(tails.isSafe(partition, on: 1))
        tails.move(to: Timeline(name: "2"))
        #expect(!tails.isSafe(partition, on: 1))
    }

    @Test("Whoever asks how fresh a lane is hears when it last asked for its heads")
    func confirms() {
        var heard: [Int64] = []
        let tails = PartitionTails([partition]) { heard.append($0.milliseconds) }
        tails.confirm(at: MonotonicTime(milliseconds: 12))
        #expect(heard == [12] && tails.confirmedAt == MonotonicTime(milliseconds: 12))
    }
}
