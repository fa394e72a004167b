import Dispatch
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// Plays a plan against a server, on one thread.
///
/// Flow: connect and set up all devices → make the frames → start the clock → send and receive until all is
/// acknowledged → stop the clock → wait until every device was sent its user's last version.
final class LoadRun {
    private static let bufferBytes = 256 * 1024
    private let plan: LoadPlan
    private let devices: [LoadDevice]
    private var polled: [pollfd]
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: LoadRun.bufferBytes, alignment: 16)

    init(_ plan: LoadPlan, server: ServerAddress, tokens: [String]) throws {
        self.plan = plan
        try Self.allowDescriptors(plan.devices + 64)
        // From an hour ago, so that no event is ahead of the server's clock (rule E4).
        let start = Int64(Date().timeIntervalSince1970 - 3_600) * 1_000_000
        devices = try tokens.enumerated().map { index, token in
            try LoadDevice(index, plan: plan, server: server, token: token, start: start)
        }
        polled = devices.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    }

    deinit { buffer.deallocate() }

    func run() throws -> LoadReport {
        try turn(until: { self.devices.allSatisfy(\.isOpen) }, "are let in")
        for device in devices { try device.setUp(Self.clock()) }
        try turn(until: { self.devices.allSatisfy(\.isDone) && self.isDelivered }, "are set up")
        if let frames = plan.framesPerDevice {
            for device in devices { device.prepare(frames) }
        }
        return try measure()
    }

    private func measure() throws -> LoadReport {
        let (sent, received) = bytes
        let processor = ProcessorTime.ofThisProcess
        let began = Self.clock()
        let beganAt = Date()
        for device in devices { try device.start(makingFrames: plan.framesPerDevice == nil, began) }
        if case .seconds(let seconds) = plan.length {
            let end = began + UInt64(seconds) * 1_000_000_000
            try turn(until: { Self.clock() >= end }, "append")
            for device in devices { device.stop() }
        }
        try turn(until: { self.devices.allSatisfy(\.isDone) }, "get their acknowledgements")
        let acknowledged = Self.clock()
        let used = ProcessorTime.ofThisProcess - processor
        try turn(until: { self.isDelivered }, "get their last rows")
        let delivered = Self.clock()
        return LoadReport(
            plan: plan, events: devices.reduce(0) { $0 + $1.acknowledgedEvents }, beganAt: beganAt,
            seconds: Double(acknowledged - began) / 1e9, deliveredSeconds: Double(delivered - began) / 1e9,
            latencies: devices.flatMap(\.latencies).sorted(), processor: used,
            rows: devices.reduce(0) { $0 + $1.rows }, bytesSent: bytes.sent - sent,
            bytesReceived: bytes.received - received)
    }

    private var bytes: (sent: Int, received: Int) {
        devices.reduce((0, 0)) { ($0.0 + $1.socket.bytesSent, $0.1 + $1.socket.bytesReceived) }
    }

    /// Whether every device was sent everything up to the last version of its user.
    private var isDelivered: Bool {
        var last: [Int: Version] = [:]
        for device in devices { last[device.user] = max(last[device.user] ?? .zero, device.acknowledgedVersion) }
        return devices.allSatisfy { $0.reachedVersion >= last[$0.user]! }
    }

    /// Serves all connections until `isOver`. Throws when nothing comes from the server for the plan's time.
    private func turn(until isOver: () -> Bool, _ purpose: String) throws {
        var lastNews = Self.clock()
        while !isOver() {
            for index in polled.indices {
                polled[index].events = Int16(POLLIN | (devices[index].socket.isBlocked ? POLLOUT : 0))
            }
            let ready = poll(&polled, nfds_t(polled.count), plan.rate == nil ? 10 : 1)
            if ready < 0, errno != EINTR { throw CommandFailure("poll: \(String(cString: strerror(errno))).") }
            var hasNews = false
            for index in polled.indices where ready > 0 && polled[index].revents != 0 {
                let device = devices[index]
                if polled[index].revents & Int16(POLLOUT) != 0 { try device.socket.flush() }
                if try device.receive(buffer, Self.clock) { hasNews = true }
            }
            let now = Self.clock()
            if plan.rate != nil { for device in devices { try device.pump(now) } }
            if hasNews { lastNews = now }
            guard now - lastNews < UInt64(plan.timeoutSeconds) * 1_000_000_000 else {
                throw IntegrityFailure(
                    "The server was silent for \(plan.timeoutSeconds) s, and not all devices \(purpose).")
            }
        }
    }

    /// Monotonic time in nanoseconds.
    private static func clock() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    private static func allowDescriptors(_ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        guard limit.rlim_cur >= rlim_t(count), setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        else {
            throw CommandFailure("The system allows \(limit.rlim_max) open files; \(count) are needed (ulimit -n).")
        }
    }
}
