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
    private let step: Int64
    private let heads: [Partition: PartitionHead]
    private(set) var batches: [Partition: PartitionAppend] = [:]
    /// Rows that changed, perhaps some of them twice.
    private(set) var touched: [UserID: [RowKey]] = [:]
    var answers: [Answer] = []
    /// Sessions that take no further append (rule P3).
    private(set) var ended: Set<UInt64> = []
    private(set) var eventCount = 0
    private(set) var byteCount = 0

    /// Nothing is to be appended, and nobody answered.
    var isEmpty: Bool { batches.isEmpty && answers.isEmpty }

    /// Whether the statement takes more.
    func hasRoom(_ configuration: LaneConfiguration) -> Bool {
        eventCount < configuration.eventsPerStatement && byteCount < configuration.bytesPerStatement
    }

    /// - Parameter heads: behind which the events go; nothing moves them while frames are staged.
    init(_ clock: ServerClock, behind heads: [Partition: PartitionHead]) {
        (now, step) = (clock.wall(), clock.step())
        self.heads = heads
    }

    /// The time of the statement's events: past that of every event before them, whatever the clock does.
    func recordingTime(of partition: Partition) -> Timestamp {
        guard let head = heads[partition] else { return now }
        return max(now, head.lastRecordedAt.adding(microseconds: step))
    }

    /// Folds the event and puts it behind the others of its partition. Throws what the fold throws: the user's state is of
    /// no use any more.
    mutating func record(_ event: Event, _ logged: LoggedPayload, _ user: CachedUser) throws {
        guard let head = heads[user.partition] else { preconditionFailure("a user of another lane's partition") }
        let keys = try user.state.apply(event)
        touched[user.id, default: []].append(contentsOf: keys)
        batches[user.partition, default: PartitionAppend(behind: head, events: [])].append(
            event, of: user.id, type: logged.type, schemaVersion: logged.schemaVersion, payload: logged.payload)
        eventCount += 1
        byteCount += logged.payload.count
    }

    /// Nobody is answered: the lane starts over, or ends.
    func release(to budget: InboundBudget) {
        for answer in answers { budget.give(answer.append.request.bytes) }
    }

    mutating func end(_ session: UInt64) { ended.insert(session) }
}

/// What the log gets of an event: the device's bytes, or what stands in their place (rule E2).
struct LoggedPayload {
    var type: EventType
    var schemaVersion: Int32
    var payload: [UInt8]
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
