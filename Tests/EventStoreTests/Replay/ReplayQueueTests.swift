import FocusCore
import Testing

@testable import EventStore

@Suite("ReplayQueue")
struct ReplayQueueTests {
    private static func request(_ lane: Int) -> ReplayQueue<LoggedContent>.Request {
        let range = PartitionRange(partition: Partition(Int32(lane)), offsets: .zero..<LogOffset(9))
        return .init(lane: lane, range: range)
    }

    private static func chunk(_ lane: Int, next: Int64) -> ReplayChunk<LoggedContent> {
        ReplayChunk(partition: Partition(Int32(lane)), content: LoggedContent(), next: LogOffset(next), count: 0)
    }

    @Test("When the connection breaks, whichever partition is waited for next hears of it, after what was read of it")
    func broken() throws {
        struct Broken: Error {}
        let queue = ReplayQueue<LoggedContent>(lanes: 3, readers: 2)
        for lane in 0..<3 { queue.ask(Self.request(lane)) }
        queue.enqueue(Self.chunk(2, next: 1), 2)
        #expect(queue.nextRequest()?.lane == 0)
        queue.fail(Broken())
        #expect(throws: Broken.self) { try queue.dequeue(1) }
        #expect(throws: Broken.self) { try queue.dequeue(0) }
        #expect(try queue.dequeue(2).next == LogOffset(1))
        #expect(throws: Broken.self) { try queue.dequeue(2) }
    }

    @Test("What is left of a chunk that was cut off is read before what was asked for after it")
    func rest() {
        let queue = ReplayQueue<LoggedContent>(lanes: 3, readers: 2)
        queue.ask(Self.request(1))
        queue.ask(Self.request(2))
        queue.ask(Self.request(0), isFirst: true)
        #expect((0..<3).map { _ in queue.nextRequest()?.lane } == [0, 1, 2])
    }

    @Test("A cancelled queue stops every reader, whatever is still asked for")
    func cancelled() {
        let queue = ReplayQueue<LoggedContent>(lanes: 3, readers: 2)
        queue.ask(Self.request(0))
        queue.cancel()
        for _ in 0..<queue.readers { #expect(queue.nextRequest() == nil) }
        // More than lanes would have nothing to do.
        #expect(ReplayQueue<LoggedContent>(lanes: 1, readers: 2).readers == 1)
    }
}
