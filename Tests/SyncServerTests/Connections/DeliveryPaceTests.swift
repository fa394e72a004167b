import FocusCore
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Testing

@testable import SyncServer

/// Deliveries to many connections, on an event loop whose time the test moves.
@Suite struct DeliveryPaceTests {
    private static let batch = UInt64(DeliveryPace.batch)
    private let loop = EmbeddedEventLoop()
    private let pace: DeliveryPace
    private let heard = NIOLockedValueBox<[String]>([])

    init() { pace = DeliveryPace(on: loop) }

    private func handle(_ id: UInt64) -> SessionHandle {
        SessionHandle(id: id, quota: OutgoingQuota(limit: 1_000), eventLoop: loop) { [heard] deliveries, confirmedAt in
            let kinds = deliveries.map { if case .rows(let frame) = $0 { "\(frame[0])" } else { "else" } }
            heard.withLockedValue { $0.append("\(id):\(kinds.joined(separator: ","))@\(confirmedAt.milliseconds)") }
        }
    }

    private func rows(_ sessions: ClosedRange<UInt64>, _ number: UInt8, at time: Int64 = 0) {
        pace.deliver(
            sessions.map { (handle($0), [.rows(frame: [number])]) }, confirmedAt: MonotonicTime(milliseconds: time))
    }

    private func taken() -> [String] {
        heard.withLockedValue { heard in
            defer { heard = [] }
            return heard
        }
    }

    @Test("Q1: where many get rows at once, some get theirs at once, and the rest some at a time, in order")
    func someAtATime() {
        rows(1...2 * Self.batch + 1, 7, at: 3)
        #expect(taken() == (1...Self.batch).map { "\($0):7@3" })
        loop.advanceTime(by: DeliveryPace.pause - .nanoseconds(1))
        #expect(taken().isEmpty)
        loop.advanceTime(by: .nanoseconds(1))
        #expect(taken() == (Self.batch + 1...2 * Self.batch).map { "\($0):7@3" })
        loop.advanceTime(by: DeliveryPace.pause)
        #expect(taken() == ["\(2 * Self.batch + 1):7@3"])
        rows(1...2, 8)
        #expect(taken() == ["1:8@0", "2:8@0"])
    }

    @Test("P6: what comes later for somebody who waits comes behind that; an answer brings it along")
    func order() {
        rows(1...Self.batch + 3, 1)
        rows(Self.batch + 1...Self.batch + 2, 2, at: 5)
        _ = taken()
        let answer = SessionDelivery.answered(frame: [9], released: InboundCharge(bytes: 0))
        let last = handle(Self.batch + 2)
        pace.deliver([(last, [answer, .rows(frame: [3])])], confirmedAt: MonotonicTime(milliseconds: 6))
        let id = Self.batch + 2
        #expect(taken() == ["\(id):1@0", "\(id):2@5", "\(id):else,3@6"])
        loop.advanceTime(by: DeliveryPace.pause)
        #expect(taken() == ["\(id - 1):1@0", "\(id - 1):2@5", "\(id + 1):1@0"])
    }

    @Test("Q1: an answer does not wait for rows of others")
    func answers() {
        rows(1...Self.batch + 1, 1)
        _ = taken()
        let answer = SessionDelivery.answered(frame: [9], released: InboundCharge(bytes: 0))
        pace.deliver([(handle(1_000), [answer])], confirmedAt: MonotonicTime(milliseconds: 0))
        #expect(taken() == ["1000:else@0"])
    }

    @Test("A3: who is cut off gets none of the rows that wait")
    func cutOff() {
        rows(1...Self.batch + 1, 1)
        _ = taken()
        pace.deliver([(handle(Self.batch + 1), [.cutOff])], confirmedAt: MonotonicTime(milliseconds: 0))
        #expect(taken() == ["\(Self.batch + 1):else@0"])
        loop.advanceTime(by: DeliveryPace.pause * 2)
        #expect(taken().isEmpty)
    }
}
