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
    /// The most bytes of an Append frame. Frames of this size take little memory, even as many as the server lets wait
    /// for an answer.
    static let frameBytes = 256 * 1024
    /// The shortest pause after an error, also when it names a shorter one or none.
    static let minimumPauseMilliseconds: Int64 = 500

    private(set) var queue: QueueRange
    /// When sending goes on after an error; nil while it does not pause.
    private(set) var resumesAt: MonotonicTime?
    private var sent: DeviceSequence
    /// The last sequence of each unanswered frame, ascending; at most `window` frames.
    private var inFlight: [DeviceSequence] = []
    private var window = 0
    private var maximumBytes = frameBytes
    /// The most bytes of the only frame that is sent at a time, after events were past a quota; nil: there is no need to
    /// be slow.
    private var slowBytes: Int?
    /// Of the first frame after such an error: some events.
    private static let slowestBytes = 1_024
    /// Whether a `sendAppend` was returned that `appendSent` has not answered yet.
    private var isAsking = false

    init(_ queue: QueueRange) {
        self.queue = queue
        sent = queue.acknowledged
    }

    mutating func open(_ welcome: Welcome) {
        // One below the limit: at the limit the server stops reading, and would not read our pongs either.
        window = max(1, Int(welcome.maximumUnacknowledgedAppends) - 1)
        maximumBytes = min(Self.frameBytes, Int(welcome.maximumFrameBytes))
    }

    mutating func queued(through last: DeviceSequence) { queue.last = max(queue.last, last) }

    /// At most one request at a time: the answer asks for the next.
    mutating func next() -> [ClientAction] {
        guard !isAsking, resumesAt == nil, sent < queue.last, inFlight.count < (slowBytes == nil ? window : 1) else {
            return []
        }
        isAsking = true
        return [.sendAppend(after: sent, maximumBytes: min(maximumBytes, slowBytes ?? maximumBytes))]
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
        let before = inFlight.count
        inFlight.removeAll { $0 <= sequence }
        guard let bytes = slowBytes, inFlight.count < before else { return }
        slowBytes = bytes < Self.frameBytes ? 2 * bytes : nil
    }

    /// Whether the server has frames that it has not answered.
    var awaitsAnswer: Bool { !inFlight.isEmpty }

    /// Events were past a quota (rule Q5), of which a little flows back at a time: to send all of them again would cost
    /// the device more than what the server takes. Frames are small then, and grow again with each that is taken whole.
    mutating func slowDown() { slowBytes = Self.slowestBytes }

    /// Begins again with the first event that has no answer: after a gap the server ignores what is in flight (rule
    /// P4). Some of these events may be in the log, and only their answers were lost. When they are sent again they are
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
