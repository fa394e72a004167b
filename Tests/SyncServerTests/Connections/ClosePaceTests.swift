import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// Connections whose devices have gone, on an event loop whose time the test moves.
@Suite struct ClosePaceTests {
    private final class Closed {
        var connections: [Int] = []
    }

    private let eventLoop = EmbeddedEventLoop()
    private let closed = Closed()

    @Test("Q2: of many connections that end at once some are closed in a turn, in order, and each once")
    func someAtATime() {
        let pace = ClosePace(on: eventLoop)
        let count = 2 * ClosePace.batch + 1
        for id in 0..<count { pace.close { closed.connections.append(id) } }
        #expect(closed.connections.isEmpty)
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == Array(0..<ClosePace.batch))
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == Array(0..<2 * ClosePace.batch))
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == Array(0..<count))
        eventLoop.advanceTime(by: ClosePace.pause * 3)
        #expect(closed.connections.count == count)
    }

    @Test("Q2: a connection that ends while others are closed is closed too, and so is one that ends after them")
    func meanwhile() {
        let pace = ClosePace(on: eventLoop)
        pace.close {
            closed.connections.append(0)
            pace.close { closed.connections.append(1) }
        }
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == [0])
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == [0, 1])
        pace.close { closed.connections.append(2) }
        eventLoop.advanceTime(by: ClosePace.pause)
        #expect(closed.connections == [0, 1, 2])
    }
}
