import FocusCore
import FocusWire
import Foundation
import PostgresClient
import Support

@testable import EventStore
@testable import SyncServer

/// The log and read model of one partition in memory, for tests of one part of a lane: exactly what the test puts in.
final class PartLog: LaneStore {
    static let partition = Partition(0)

    var anchors: () -> [Partition: LogAnchor] = { [:] }
    var whileWaiting: () -> Void = {}
    /// Called in the next call, as if the database let it wait.
    var waits: (() -> Void)?
    /// Called in the next append, in the same way.
    var appendWaits: (() -> Void)?
    /// Called before each lock, and each append that has not locked: another server is always faster.
    var othersAppend: (() -> Void)?
    private(set) var isLocked = false
    var connectionNumber = 1
    var events: [LoggedEvent] = []
    var generation: Int32 = 1
    var changed: Set<UserID>?
    var checkpoint = Checkpoint.zero
    var line = Timeline(name: "1")
    var due: [DueUser] = []
    /// The errors that the next lock and the next append throw.
    var (lockFailure, appendFailure): ((any Error)?, (any Error)?) = (nil, nil)
    /// The error that the next call throws.
    var failure: (any Error)?
    /// The calls in their order.
    private(set) var calls: [String] = []

    func called() -> [String] {
        defer { calls = [] }
        return calls
    }

    private func call(_ name: String = #function) throws {
        calls.append(String(name.prefix { $0 != "(" }))
        if let waits = waits.take() {
            waits()
            whileWaiting()
        }
        defer { failure = nil }
        if let failure { throw failure }
    }

    // MARK: Filling

    var head: PartitionHead {
        var head = PartitionHead(
            partition: Self.partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
            lastRecordedAt: Timestamp(microseconds: 0), generation: generation)
        if let last = events.last { head.move(behind: last) }
        return head
    }

    /// Another server appends an event of a device of the user.
    @discardableResult
    func append(
        _ body: EventBody, of user: UserID, device: DeviceID = DeviceID(UUID()), app: AppID? = nil,
        id: EventID = .random()
    ) -> LoggedEvent {
        let version = Version(Int64(events.count { $0.user == user })).next
        let time = Timestamp(microseconds: 1_800_000_000_000_000 + Int64(events.count))
        let event = Event(
            version: version, device: device, incarnation: Incarnation(device == .server ? 0 : 1),
            sequence: DeviceSequence(Int64(events.count { $0.device == device })).next, id: id, app: app,
            occurredAt: time, recordedAt: time, body: body)
        var batch = PartitionAppend(behind: head, events: [])
        let logged = LoggedPayload(body)
        batch.append(
            event, of: user, type: logged.type, schemaVersion: logged.schemaVersion, payload: logged.payload)
        events += batch.events
        return batch.events[0]
    }

    /// Appends an event that makes a public row.
    @discardableResult
    func appendFocus(_ id: String, of user: UserID, device: DeviceID = DeviceID(UUID())) -> LoggedEvent {
        append(.focusConfigured(FocusConfigured(focusID: id, name: id)), of: user, device: device)
    }

    // MARK: LaneStore

    func verifyAnchors() throws { try call() }

    func timeline() throws -> Timeline {
        try call()
        return line
    }

    func lock(behind known: [PartitionHead], limit: Int) throws -> [LockedPartition] {
        try call()
        if let failure = lockFailure.take() { throw failure }
        othersAppend?()
        let locked = try known.map { known in
            let first = LockedPartition.firstOffset(behind: known)
            let read = events.filter { $0.offset >= first }.prefix(limit + 2)
            return try LockedPartition(head, behind: known, limit: limit, read: Array(read)) { range in
                usersInRange(range)
            }
        }
        isLocked = true
        return locked
    }

    func unlock() { isLocked = false }

    func append(_ batches: [PartitionAppend]) throws -> [Partition: PartitionOutcome] {
        defer { unlock() }
        try call()
        if let waits = appendWaits.take() { waits() }
        if let failure = appendFailure.take() { throw failure }
        if !isLocked { othersAppend?() }
        return Dictionary(
            uniqueKeysWithValues: batches.map { batch in
                guard batch.expectedOffset == head.nextOffset else { return (batch.partition, .behind) }
                events += batch.events
                return (batch.partition, .committed(generation: generation))
            })
    }

    func confirm() throws { try call() }

    func heads(of partitions: [Partition]) throws -> [PartitionHead] {
        try call()
        return [head]
    }

    func timedHeads(of partitions: [Partition]) throws -> TimedHeads {
        try call()
        return TimedHeads(heads: [head], time: nil)
    }

    func events(partition: Partition, from offset: LogOffset, limit: Int) throws -> [LoggedEvent] {
        try call()
        return Array(events.filter { $0.offset >= offset }.prefix(limit))
    }

    func events(
        of user: UserID, partition: Partition, after version: Version, limit: Int
    ) throws -> [LoggedEvent] {
        try call()
        return Array(events.filter { $0.user == user && $0.version > version }.prefix(limit))
    }

    func event(of user: UserID, partition: Partition, at version: Version) throws -> EventID? {
        try call()
        return events.first { $0.user == user && $0.version == version }?.id
    }

    func users(partition: Partition, in range: Range<LogOffset>) throws -> [UserInRange] {
        try call()
        return usersInRange(range)
    }

    private func usersInRange(_ range: Range<LogOffset>) -> [UserInRange] {
        let found = Dictionary(grouping: events.filter { range.contains($0.offset) }, by: \.user)
        return found.keys.sorted().compactMap { user in
            guard let own = found[user], let first = own.first, let last = own.last else { return nil }
            return UserInRange(
                user: user, version: last.version, firstOffset: first.offset, lastOffset: last.offset,
                revokes: own.contains { $0.type == EventType.deviceRevoked.rawValue })
        }
    }

    func held(of heads: [PartitionHead]) throws -> Set<PartitionHead> {
        try call()
        return Set(heads.filter { head in events.contains { $0.anchor == head.anchor } })
    }

    /// The user as a load sees them now.
    func loaded(_ user: UserID) throws -> LoadedUser {
        let head = head
        var state = UserState(user: user)
        var touched: Set<RowKey> = []
        for event in events where event.user == user { touched.formUnion(try state.apply(event.decoded())) }
        return LoadedUser(state: state, projectedVersion: .zero, touchedKeys: touched, head: head)
    }

    func dueUsers(
        after places: [Partition: DuePlace], until: Timestamp, limit: Int, generation: Int32
    ) throws -> [DueUser] {
        try call()
        return due
    }

    func logFormat() throws -> Int32 {
        try call()
        return EventStore.incarnationFormat
    }

    func checkpoints(of heads: [PartitionHead]) throws -> [Partition: Checkpoint] {
        try call()
        return [Self.partition: checkpoint]
    }

    func changedUsers(of partition: Partition, from before: Int32, to generation: Int32) throws -> Set<UserID>? {
        try call()
        return changed
    }

    func close() {}
}

/// Loads users from a `PartLog` when the test says so.
final class PartLoader: LaneLoader {
    private let log: PartLog
    private let mailbox: Mailbox<LaneRequest>
    private(set) var questions: [LoadQuestion] = []
    /// How many questions there were.
    private(set) var asked = 0
    /// Whether each question is answered at once.
    var isPrompt = true

    init(_ log: PartLog, _ mailbox: Mailbox<LaneRequest>) { (self.log, self.mailbox) = (log, mailbox) }

    func start() {}
    func stop() {}

    func post(_ question: LoadQuestion) {
        questions.append(question)
        asked += 1
        if isPrompt { answer() }
    }

    /// Everybody may be in every audience.
    func post(_ question: AudienceQuestion) {
        let found = FoundAudiences(possible: Set(question.entries), heads: [log.head])
        mailbox.post(.audiencesFound(AudienceAnswer(number: question.number, found: .success(found))))
    }

    /// Answers the questions that wait, from the log as it is now.
    func answer() {
        for question in questions {
            let loaded = question.users.map { _, id in (id, Result { try log.loaded(id) }) }
            let found = FoundUsers(loaded: Dictionary(uniqueKeysWithValues: loaded))
            mailbox.post(.loaded(LoadAnswer(number: question.number, found: .success(found))))
        }
        questions = []
    }
}
