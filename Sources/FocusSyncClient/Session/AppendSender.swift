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

/// Decides which events are sent next: pipelined, in order, within the server's limit (rules P6, P9).
struct AppendSender: Hashable, Sendable {
    /// How many bytes an Append frame has at most: several fit into the server's limit of unanswered ones without much
    /// memory.
    static let frameBytes = 256 * 1024
    /// The shortest pause after an error, also when it names a shorter one or none.
    static let minimumPauseMilliseconds: Int64 = 500

    private(set) var queue: QueueRange
    /// When sending goes on after an error; nil: nothing pauses it.
    private(set) var resumesAt: MonotonicTime?
    private var sent: DeviceSequence
    /// The last sequence of each unanswered frame, ascending; at most `window` frames.
    private var inFlight: [DeviceSequence] = []
    private var window = 0
    private var maximumBytes = frameBytes
    /// Whether a `sendAppend` was returned that `appendSent` has not answered yet.
    private var isAsking = false

    init(_ queue: QueueRange) {
        self.queue = queue
        sent = queue.acknowledged
    }

    mutating func open(_ welcome: Welcome) {
        // One below the limit: at the limit the server stops reading, and reads our pongs no more.
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
        // Otherwise the frame was asked for before a gap rewound the sender.
        guard after == sent, last > sent else { return }
        sent = last
        inFlight.append(last)
    }

    mutating func acknowledged(through sequence: DeviceSequence) {
        queue.acknowledged = max(queue.acknowledged, sequence)
        sent = max(sent, queue.acknowledged)
        inFlight.removeAll { $0 <= sequence }
    }

    /// Sends everything without an answer again, because the server ignores what is in flight (rule P4). The log has
    /// the events below the one that the server expects, but their answers were not heard; sent again, they are
    /// answered again (rules E1, E2).
    mutating func rewind() {
        sent = queue.acknowledged
        inFlight.removeAll()
    }

    mutating func pause(until time: MonotonicTime) {
        rewind()
        resumesAt = max(resumesAt ?? time, time)
    }

    /// Ends the pause if its time has come. Returns whether it did.
    mutating func resume(now: MonotonicTime) -> Bool {
        guard let time = resumesAt, time <= now else { return false }
        resumesAt = nil
        return true
    }
}
