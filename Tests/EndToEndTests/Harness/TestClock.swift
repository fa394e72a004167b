import FocusCore
import NIOConcurrencyHelpers
import Support
import SyncServer

/// A wall clock that the test sets. The monotonic clock, for polls and looks, is the machine's.
final class TestClock: Sendable {
    private let time: NIOLockedValueBox<Timestamp>

    init(_ iso: String) throws { time = NIOLockedValueBox(try Timestamp(iso: iso)) }

    var now: Timestamp { time.withLockedValue { $0 } }
    func move(to iso: String) throws {
        let next = try Timestamp(iso: iso)
        time.withLockedValue { $0 = next }
    }

    var clock: ServerClock {
        ServerClock(monotonic: ServerClock.system.monotonic, wall: { self.time.withLockedValue { $0 } })
    }
}
