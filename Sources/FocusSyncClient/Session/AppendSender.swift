import FocusCore

/// The sequences of a device's queue: everything through `acknowledged` is in the log, `last` is the newest event.
public struct QueueRange: Hashable, Sendable {
    public var acknowledged: DeviceSequence
    public var last: DeviceSequence

    public init(acknowledged: DeviceSequence, last: DeviceSequence) {
        self.acknowledged = acknowledged
        self.last = last
    }

    public var isEmpty: Bool { last <= acknowledged }
}

/// Which events go out next: pipelined, in order, within the server's limit (rules P6, P9).
struct AppendSender: Hashable, Sendable {
    /// Bytes of one Append frame: several fit into the server's limit of unanswered ones without much memory.
    static let frameBytes = 256 * 1024
    /// After an error that names no time.
    static let minimumPauseMilliseconds: Int64 = 500

    private(set) var queue: QueueRange
    /// When sending goes on after an error.
    private(set) var resumesAt: MonotonicTime?
    private var sent: DeviceSequence
    /// The last sequence of each unanswered frame, ascending; at most `window`.
    private var inFlight: [DeviceSequence] = []
    private var window = 0
    private var maximumBytes = frameBytes
    /// A frame was asked for and not sent yet.
    private var isAsking = false

    init(_ queue: QueueRange) {
        self.queue = queue
        sent = queue.acknowledged
    }

    mutating func open(_ welcome: Welcome) {
        // One below the limit: at the limit the server stops reading, our pongs included.
        window = max(1, Int(welcome.maximumUnacknowledgedAppends) - 1)
        maximumBytes = min(Self.frameBytes, Int(welcome.maximumFrameBytes))
    }

    mutating func queued(through last: DeviceSequence) { queue.last = max(queue.last, last) }

    /// At most one request at a time: the answer asks for the next.
    mutating func next() -> [ClientAction] {
        guard !isAsking, resumesAt == nil, sent < queue.last, inFlight.count < window else { return [] }
        isAsking = true
        return [.sendAppend(after: sent, maximumBytes: maximumBytes)]
    }

    mutating func sent(after: DeviceSequence, through last: DeviceSequence) {
        isAsking = false
        // Otherwise it was asked for before a gap took the place back.
        guard after == sent, last > sent else { return }
        sent = last
        inFlight.append(last)
    }

    mutating func acknowledged(through sequence: DeviceSequence) {
        queue.acknowledged = max(queue.acknowledged, sequence)
        sent = max(sent, queue.acknowledged)
        inFlight.removeAll { $0 <= sequence }
    }

    /// What is in flight will not be taken (rule P4): everything without an answer is sent again. Events below the one that
    /// the server expects are logged, but what became of them was not heard; a repeat tells (rules E1, E2).
    mutating func rewind() {
        sent = queue.acknowledged
        inFlight.removeAll()
    }

    mutating func pause(until time: MonotonicTime) {
        rewind()
        resumesAt = max(resumesAt ?? time, time)
    }

    /// False: nothing waited until then.
    mutating func resume(now: MonotonicTime) -> Bool {
        guard let time = resumesAt, time <= now else { return false }
        resumesAt = nil
        return true
    }
}
