import FocusCore
import Testing

@testable import SyncServer

/// Whose TLS handshake is next.
@Suite struct HandshakeQueueTests {
    private let start = MonotonicTime(milliseconds: 0)

    private func line(_ text: String, hasBegun: Bool = false) throws -> HandshakeQueue.Line {
        let address = try #require(ClientAddress(text: text))
        return HandshakeQueue.Line(address: address, hasBegun: hasBegun)
    }

    private func drain(_ queue: inout HandshakeQueue, at milliseconds: Int64 = 0) -> [UInt64] {
        var ids: [UInt64] = []
        while case .connection(let id) = queue.next(now: MonotonicTime(milliseconds: milliseconds)) { ids.append(id) }
        return ids
    }

    @Test("Q8: addresses take turns, and connections of one address keep their order")
    func turns() throws {
        var queue = HandshakeQueue(.minute(1_000))
        for id in UInt64(1)...4 { queue.add(id, to: try line("192.0.2.1")) }
        queue.add(5, to: try line("192.0.2.2"))
        queue.add(6, to: HandshakeQueue.Line())
        #expect(queue.count == 6)
        #expect(drain(&queue) == [1, 5, 6, 2, 3, 4])
        #expect(queue.count == 0 && queue.next(now: start) == .nobody)
    }

    @Test("Q8: an address that has begun what it may rests, and the others go on; what it has begun goes on too")
    func rest() throws {
        var queue = HandshakeQueue(.minute(2))
        for id in UInt64(1)...4 { queue.add(id, to: try line("192.0.2.1")) }
        queue.add(5, to: try line("192.0.2.2"))
        #expect(drain(&queue) == [1, 5, 2])
        #expect(queue.next(now: start) == .nobodyBefore(MonotonicTime(milliseconds: 30_000)) && queue.rests == 1)
        queue.add(1, to: try line("192.0.2.1", hasBegun: true))
        queue.add(6, to: try line("192.0.2.2"))
        #expect(drain(&queue, at: 1) == [1, 6])
        #expect(drain(&queue, at: 29_999) == [])
        #expect(drain(&queue, at: 30_000) == [3] && queue.rests == 2)
        #expect(drain(&queue, at: 60_000) == [4] && queue.count == 0)
    }

    @Test("Q8: whoever no address bounds begins as many as they like")
    func unbounded() {
        var queue = HandshakeQueue(.minute(1))
        for id in UInt64(1)...5 { queue.add(id, to: HandshakeQueue.Line()) }
        #expect(drain(&queue) == [1, 2, 3, 4, 5] && queue.rests == 0)
    }

    @Test("A connection that closed has no turn, and uses nothing of what its address may begin")
    func closed() throws {
        var queue = HandshakeQueue(.minute(1))
        for id in UInt64(1)...3 { queue.add(id, to: try line("192.0.2.1")) }
        queue.remove(1, from: try line("192.0.2.1"))
        queue.remove(3, from: try line("192.0.2.1"))
        queue.remove(3, from: try line("192.0.2.1"))
        #expect(queue.count == 1 && drain(&queue) == [2])
        queue.add(4, to: try line("192.0.2.1"))
        #expect(drain(&queue) == [] && queue.rests == 1)
        queue.remove(4, from: try line("192.0.2.1"))
        #expect(drain(&queue, at: 60_000) == [] && queue.next(now: MonotonicTime(milliseconds: 60_000)) == .nobody)
        queue.add(5, to: try line("192.0.2.1"))
        #expect(drain(&queue, at: 60_000) == [5])
    }
}
