import EventStore
import FocusCore

/// What one append statement will carry, and whom to tell when it is committed. Nobody sees any of it before.
struct AppendStaging {
    struct Answer {
        var append: PendingAppend
        var partition: Partition
        var appended: Appended?
        var recalled: Recalled?
        var error: ProtocolError?
    }

    /// The server's clock, read once: it may be set back while frames are staged.
    let now: Timestamp
    /// See `ServerClock.step`.
    let step: Int64
    var batches: [Partition: PartitionAppend] = [:]
    /// Rows that changed, perhaps some of them twice.
    var touched: [UserID: [RowKey]] = [:]
    var answers: [Answer] = []
    /// Sessions that take no further append (rule P3).
    var ended: Set<UInt64> = []
    var eventCount = 0
    var byteCount = 0

    /// Nothing is to be appended, and nobody answered.
    var isEmpty: Bool { batches.isEmpty && answers.isEmpty }

    init(_ clock: ServerClock) { (now, step) = (clock.wall(), clock.step()) }
}

extension AppendStaging.Answer {
    /// Whether the device is told to rely on what the log holds, or on what it will never hold (rule P10).
    var saysWhatIsLogged: Bool { appended != nil || recalled != nil }

    /// Nothing is said of what became of the events: they are to be sent again.
    mutating func withdraw() {
        (appended, recalled) = (nil, nil)
        error =
            error
            ?? ProtocolError(
                .unavailable, "The log cannot be written at the moment. Send again.", retryAfterMilliseconds: 1_000)
    }
}

/// An append frame on its way through the lane.
struct PendingAppend {
    var session: UInt64
    var request: IncomingAppend
    /// What the log holds at its places, once it was looked up.
    var found: FoundPlaces?
}
