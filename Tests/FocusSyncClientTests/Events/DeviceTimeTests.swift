import FocusCore
import Testing

@testable import FocusSyncClient

@Suite("DeviceTime") struct DeviceTimeTests {
    private let server = Fixture.clock
    private let hour: Int64 = 3_600_000_000

    @Test("E4: a device's time is its clock's until a server is heard, then the earlier of both")
    func earlier() {
        var time = DeviceTime()
        let (fast, slow) = (server.adding(microseconds: hour), server.adding(microseconds: -hour))
        #expect(time.now(clock: fast, at: .seconds(5)) == fast && time.latest(at: .seconds(5)) == nil)
        time.observe(server, asked: .seconds(5))
        #expect(time.now(clock: fast, at: .seconds(5)) == server)
        #expect(time.now(clock: slow, at: .seconds(5)) == slow)
        #expect(time.now(clock: server, at: .seconds(5)) == server)
    }

    @Test("E4: the server's time goes on by a clock that nobody sets, from when it was asked for")
    func goesOn() {
        var time = DeviceTime()
        time.observe(server, asked: .seconds(5))
        let fast = server.adding(microseconds: 2 * hour)
        #expect(time.now(clock: fast, at: .seconds(5) + .microseconds(hour)) == server.adding(microseconds: hour))
        // The device's clock is set back, then forward again.
        #expect(time.now(clock: server, at: .seconds(6)) == server)
        #expect(time.now(clock: fast, at: .seconds(6)) == server.adding(microseconds: 1_000_000))
        time.observe(Timestamp(microseconds: .max), asked: .seconds(6))
        #expect(time.now(clock: fast, at: .seconds(1_000_000)) == fast)
        time.observe(Timestamp(microseconds: .min), asked: .seconds(6))
        #expect(time.now(clock: fast, at: .seconds(5)) == Timestamp(microseconds: .min))
    }
}
