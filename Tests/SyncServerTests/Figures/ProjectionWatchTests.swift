import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

/// How far the read model is behind, as a lane sees it.
@Suite("Projection watch") struct ProjectionWatchTests {
    private let partition = Partition(3)

    private func look(_ watch: inout ProjectionWatch, at time: Int64, head: Int64, checkpoint: Int64) {
        let head = PartitionHead(
            partition: partition, nextOffset: LogOffset(head), lastEvent: PartitionHead.noEvent,
            lastRecordedAt: Timestamp(microseconds: 0), generation: 1)
        watch.look(
            now: MonotonicTime(milliseconds: time), heads: { [partition: head] },
            checkpoint: { _ in LogOffset(checkpoint) })
    }

    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test("The lag is what is past the checkpoint, since the oldest of it was seen")
    func lag() {
        var watch = ProjectionWatch()
        look(&watch, at: 1_000, head: 10, checkpoint: 10)
        #expect(watch.lag == ProjectionLag())
        look(&watch, at: 2_000, head: 15, checkpoint: 10)
        look(&watch, at: 3_000, head: 18, checkpoint: 10)
        #expect(watch.lag.events == 8)
        #expect(watch.lag.lacksSince == time(2_000) && watch.lag.standsSince == time(1_000))
        // A part of what was seen first is written.
        look(&watch, at: 4_000, head: 18, checkpoint: 12)
        #expect(watch.lag.events == 6 && watch.lag.lacksSince == time(2_000) && watch.lag.standsSince == time(4_000))
        look(&watch, at: 5_000, head: 18, checkpoint: 15)
        #expect(watch.lag.events == 3 && watch.lag.lacksSince == time(3_000) && watch.lag.standsSince == time(5_000))
        look(&watch, at: 6_000, head: 18, checkpoint: 18)
        #expect(watch.lag == ProjectionLag() && watch.passedEvents == 8)
    }

    @Test("It looks ten times a second at the most")
    func pace() {
        var watch = ProjectionWatch()
        look(&watch, at: 1_000, head: 10, checkpoint: 10)
        look(&watch, at: 1_099, head: 11, checkpoint: 10)
        #expect(watch.lag == ProjectionLag())
        look(&watch, at: 1_100, head: 11, checkpoint: 10)
        #expect(watch.lag.events == 1)
    }

    @Test("A checkpoint that goes back is a lag and no progress")
    func regression() {
        var watch = ProjectionWatch()
        look(&watch, at: 1_000, head: 10, checkpoint: 10)
        look(&watch, at: 2_000, head: 10, checkpoint: 4)
        #expect(watch.lag.events == 6 && watch.lag.lacksSince == time(2_000) && watch.passedEvents == 0)
    }

    @Test("However long the read model stands still, little is remembered of it, and the lag is no less")
    func bound() {
        var watch = ProjectionWatch()
        for second in 0..<20_000 as Range<Int64> {
            look(&watch, at: second * 1_000, head: second + 1, checkpoint: 0)
        }
        #expect(watch.lag.events == 20_000 && watch.lag.lacksSince == time(0) && watch.lag.standsSince == time(0))
        #expect(watch.markCount <= 512)
    }
}
