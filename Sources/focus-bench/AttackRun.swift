import Dispatch
import FocusCore
import FocusSyncClient
import FocusWire
import Foundation
import Programs

/// One device that asks a server for the dearest work of a kind, as much as its session's window takes.
///
/// Flow: connect → prepare → `begin`, when others are ready → send for the given time → `AttackReport`.
final class AttackRun {
    private static let bufferBytes = 256 * 1024
    /// Append frames without an answer; the server reads no more (rule P9).
    private static let window = 64
    private let socket: LoadSocket
    private var mix: AttackMix
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AttackRun.bufferBytes, alignment: 16)
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private var sequence: Int64 = 0
    /// µs since 1970; each event is 100 µs after the last.
    private var now: Int64
    private var lastFrame: [UInt8] = []
    /// What was sent and is not answered: appends, and other questions.
    private var (appends, questions) = (0, 0)
    private var isOpen = false
    /// What it may ask beside appending (rule Q5), and what it has asked.
    private var quota: Allowance?
    private var used = AllowanceUse()
    private var report = AttackReport()

    init(_ kind: AttackKind, server: ServerAddress, token: String, incarnation: Incarnation) throws {
        // From an hour ago, so that no event is ahead of the server's clock (rule E4).
        now = Int64(Date().timeIntervalSince1970 - 3_600) * 1_000_000
        mix = AttackMix(kind, start: now)
        report.kind = kind
        socket = try LoadSocket(to: server)
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 1, token: token, deviceClass: .phone, incarnation: incarnation,
            cursor: nil, collections: [])
        try socket.send(FrameCodec.frame(.hello(hello)))
    }

    deinit { buffer.deallocate() }

    /// Builds up what makes the attack dear, and waits until all of it is acknowledged.
    func prepare() throws {
        while !isOpen { try serve() }
        while let message = mix.prepare() {
            try send(message)
            while appends >= 4 { try serve() }
        }
        while appends > 0 { try serve() }
    }

    func run(seconds: Int) throws -> AttackReport {
        let processor = ProcessorTime.ofThisProcess
        let began = DispatchTime.now().uptimeNanoseconds
        let end = began + UInt64(seconds) * 1_000_000_000
        (report.sent, report.answers, report.refused) = (0, 0, 0)
        while DispatchTime.now().uptimeNanoseconds < end {
            while appends < Self.window, questions < 4, !socket.isBlocked, mayAsk { try send(mix.next()) }
            try serve()
        }
        report.processor = ProcessorTime.ofThisProcess - processor
        report.seconds = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
        if report.kind == .refusals, report.answers > 0, report.refused == 0 {
            throw CommandFailure("The server refused no event of the attack, and refused events are all that it is for.")
        }
        return report
    }

    private var monotonic: MonotonicTime {
        MonotonicTime(milliseconds: Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000))
    }

    /// Whether the device is within its quota, whenever what it asked arrives. Past it the server ends the session, which
    /// ends the attack.
    private var mayAsk: Bool { quota.map { used.wait(for: questions + 1, of: $0, now: monotonic) == nil } ?? true }

    /// Counts a question as used from its answer on. The server counts it from its arrival on, which is earlier: what
    /// has flowed back here has flowed back there.
    private func answered() {
        questions -= 1
        report.answers += 1
        // Milliseconds of two clocks may be one apart.
        if let quota { used.use(1, of: quota, now: monotonic.adding(milliseconds: 1)) }
    }

    /// The quota that the server names for what this kind asks.
    private func quota(_ quotas: Quotas) -> Allowance? {
        let perMinute =
            switch report.kind {
            case .resync: quotas.resyncsPerMinute
            case .speeds: quotas.fetchesPerMinute
            default: 0 as UInt32
            }
        return perMinute > 0 ? .minute(Int(perMinute)) : nil
    }

    // MARK: Sending

    private func send(_ message: AttackMessage) throws {
        report.sent += 1
        switch message {
        case .append(let bodies):
            let first = DeviceSequence(sequence + 1)
            sequence += Int64(bodies.count)
            let request = AppendRequest(firstSequence: first, envelopes: bodies.map { envelope($0.0, $0.1) })
            lastFrame = FrameCodec.frame(.append(request))
            appends += 1
            try socket.send(lastFrame)
        case .again:
            appends += 1
            try socket.send(lastFrame)
        case .message(let message):
            questions += 1
            try socket.send(FrameCodec.frame(message))
        }
    }

    private func envelope(_ app: AppID?, _ body: EventBody) -> Envelope {
        now += 100
        return Envelope(
            id: EventID(UUID()), type: body.type.rawValue, app: app?.rawValue,
            occurredAt: Timestamp(microseconds: now), schemaVersion: FocusWire.payloadSchemaVersion,
            payload: PayloadCodec.encode(body))
    }

    // MARK: Receiving

    /// Waits for a moment, and handles what has come.
    private func serve() throws {
        var polled = pollfd(
            fd: socket.descriptor, events: Int16(POLLIN | (socket.isBlocked ? POLLOUT : 0)), revents: 0)
        guard poll(&polled, 1, 10) > 0 else { return }
        if polled.revents & Int16(POLLOUT) != 0 { try socket.flush() }
        let count = try socket.receive(into: buffer)
        guard count > 0 else { return }
        splitter.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        while let frame = try splitter.next() { try handle(frame) }
    }

    private func handle(_ frame: [UInt8]) throws {
        // Rows are most of what comes, and nothing of them matters but that they end.
        if let rows = frame.withUnsafeBytes({ CountedRows($0) }) {
            report.rows += rows.count
            if let version = rows.reached { try reached(version) }
            return
        }
        switch try FrameCodec.decodeServer(frame) {
        case .welcome(let welcome):
            isOpen = true
            quota = quota(welcome.quotas)
        case .appended(let appended):
            try count(appended.refused)
            report.answers += 1
            appends -= 1
        case .fetched: answered()
        case .snapshotEnd(let cursor), .deltaEnd(let cursor), .delta(_, _, let cursor), .checkpoint(let cursor, _):
            try reached(cursor.version)
        case .ping(let nonce): try socket.send(FrameCodec.frame(ClientMessage.pong(nonce)))
        case .error(let error):
            report.error = error.code.rawValue
            // Without the fetch that it answers, the session ends.
            guard error.request != nil else { throw CommandFailure("\(error.code.rawValue): \(error.message)") }
            questions -= 1
        case .goAway(let goAway): throw CommandFailure("The server said \(goAway.code.rawValue).")
        default: break
        }
    }

    /// Refused events are not the work that a kind is named for, but for that of refusals.
    private func count(_ refused: [RefusedEvent]) throws {
        report.refused += refused.count
        guard let first = refused.first, report.kind != .refusals else { return }
        throw CommandFailure("The attack's event \(first.sequence) was refused: \(first.code): \(first.message)")
    }

    private func reached(_ version: Version) throws {
        try socket.send(FrameCodec.frame(.ack(version)))
        if case .resync = report.kind, questions > 0 { answered() }
    }
}
