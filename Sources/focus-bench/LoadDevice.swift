import FocusCore
import FocusSyncClient
import FocusWire
import Foundation
import Programs

/// One device: its connection, what it still has to send, and what the server has told it. Confined to the thread of
/// its `LoadRun`.
final class LoadDevice {
    let socket: LoadSocket
    let user: Int
    private let name: String
    private var mix: EventMix
    private var input: [UInt8] = []
    private var frames: ArraySlice<LoadFrame> = []
    private var makesFrames = false
    private let batch: Int
    private let window: Int
    /// See `LoadPlan.frameInterval`.
    private let interval: UInt64?
    /// The share of the interval after which the device begins: all together send evenly.
    private let phase: Double
    /// When the next frame is due, if there is an interval.
    private var due: UInt64 = 0
    /// Unanswered frames in the order of their sequences; `sentAt` in nanoseconds.
    private var unanswered: [(through: DeviceSequence, count: Int, sentAt: UInt64)] = []
    /// A version that the next frame acknowledges (Ack).
    private var unsaidVersion: Version?

    private(set) var isOpen = false
    private(set) var acknowledgedVersion = Version.zero
    /// The version up to which the server has sent the rows.
    private(set) var reachedVersion = Version.zero
    private(set) var acknowledgedEvents = 0
    private(set) var rows = 0
    /// Time from a frame's sending to its acknowledgement, in µs.
    var latencies: [UInt32] = []

    init(_ index: Int, plan: LoadPlan, server: ServerAddress, token: String, start: Int64) throws {
        socket = try LoadSocket(to: server)
        user = index % plan.users
        name = "device \(index)"
        mix = EventMix(plan, device: index, start: start)
        batch = plan.batch
        window = plan.window
        interval = plan.frameInterval
        phase = Double(index) / Double(plan.devices)
        let hello = Hello(
            minimumProtocol: 1, maximumProtocol: 1, token: token, deviceClass: .phone, incarnation: plan.incarnation,
            cursor: nil, collections: [])
        try socket.send(FrameCodec.frame(.hello(hello)))
    }

    /// Whether everything that the device had to send was acknowledged.
    var isDone: Bool { unanswered.isEmpty && frames.isEmpty && !makesFrames }

    /// Sends the events that the mix needs first.
    func setUp(_ clock: UInt64) throws {
        frames = [mix.setup()]
        try pump(clock)
    }

    /// Makes the frames that `start` will send.
    func prepare(_ count: Int) { frames = (0..<count).map { _ in mix.frame(count: batch) }[...] }

    /// Begins to send: until the window is full, and then with each acknowledgement.
    /// - Parameter makingFrames: whether frames are made as needed, until `stop`.
    func start(makingFrames: Bool, _ clock: UInt64) throws {
        makesFrames = makingFrames
        latencies.removeAll(keepingCapacity: true)
        acknowledgedEvents = 0
        rows = 0
        due = clock + UInt64(Double(interval ?? 0) * phase)
        try pump(clock)
    }

    func stop() { makesFrames = false }

    /// Reads and handles what has come.
    /// - Returns: whether any bytes had come.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, _ clock: () -> UInt64) throws -> Bool {
        let count = try socket.receive(into: buffer)
        guard count > 0 else { return false }
        let now = clock()
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if input.isEmpty {
            let taken = try readFrames(bytes, now)
            if taken < count { input.append(contentsOf: bytes[taken...]) }
        } else {
            input.append(contentsOf: bytes)
            let taken = try input.withUnsafeBytes { try readFrames($0, now) }
            input.removeFirst(taken)
        }
        try pump(now)
        return true
    }

    // MARK: Sending

    /// Sends what is due, as far as the window and the socket allow.
    func pump(_ now: UInt64) throws {
        while unanswered.count < window, !socket.isBlocked, !makesFrames || interval == nil || due <= now,
            let frame = nextFrame()
        {
            // A frame that was held back has waited since it was due.
            unanswered.append((frame.through, frame.count, makesFrames && interval != nil ? due : now))
            due += interval ?? 0
            if let version = unsaidVersion.take() {
                // Ack travels with a frame that is sent anyway, which saves a system call.
                try socket.send(FrameCodec.frame(.ack(version)) + frame.bytes)
            } else {
                try socket.send(frame.bytes)
            }
        }
    }

    private func nextFrame() -> LoadFrame? {
        if makesFrames { return mix.frame(count: batch) }
        return frames.popFirst()
    }

    // MARK: Receiving

    /// Handles all whole frames. Returns how many bytes they had.
    private func readFrames(_ bytes: UnsafeRawBufferPointer, _ now: UInt64) throws -> Int {
        var position = 0
        while bytes.count - position >= FrameSplitter.prefixBytes {
            let size = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
            guard size <= FrameCodec.maximumBytes else {
                throw CommandFailure("\(name): a frame of \(size) bytes; the server may have at most 1 MiB.")
            }
            let start = position + FrameSplitter.prefixBytes
            guard bytes.count - start >= size else { break }
            try handle(LoadNews(UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])), now)
            position = start + size
        }
        return position
    }

    private func handle(_ news: LoadNews, _ now: UInt64) throws {
        switch news {
        case .welcome(let last):
            guard last == .zero else {
                throw CommandFailure("This log has events of --seed's devices already. Give another --seed.")
            }
            isOpen = true
        case .appended(let appended): try acknowledge(appended, now)
        case .rows(let count): rows += count
        case .reached(let version, let count):
            rows += count
            reachedVersion = max(reachedVersion, version)
            unsaidVersion = version
        case .ping(let nonce): try socket.send(FrameCodec.frame(ClientMessage.pong(nonce)))
        case .other: break
        case .failed(let text): throw CommandFailure("\(name): \(text)")
        }
    }

    private func acknowledge(_ appended: Appended, _ now: UInt64) throws {
        if let refused = appended.refused.first {
            throw IntegrityFailure(
                "\(name): event \(refused.sequence) was refused: \(refused.code): \(refused.message)")
        }
        acknowledgedVersion = max(acknowledgedVersion, appended.version)
        while let first = unanswered.first, first.through <= appended.throughSequence {
            unanswered.removeFirst()
            acknowledgedEvents += first.count
            latencies.append(UInt32(clamping: (now - first.sentAt) / 1_000))
        }
    }
}
