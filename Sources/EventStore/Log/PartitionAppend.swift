import FocusCore
import PostgresClient

/// Events to be appended to one partition if it still ends at `expectedOffset`, with the event that the caller knows.
public struct PartitionAppend: Sendable {
    public var partition: Partition
    public var expectedOffset: LogOffset
    /// The event before `expectedOffset`, and its `recordedAt` (see `PartitionHead`).
    public var expectedEvent: EventID
    public var expectedRecordedAt: Timestamp
    /// In order; their offsets are `expectedOffset`, `expectedOffset + 1` …, and `recordedAt` never goes backwards.
    public var events: [LoggedEvent]

    /// - Parameter head: where the partition ends as far as the caller has folded it.
    public init(behind head: PartitionHead, events: [LoggedEvent]) {
        partition = head.partition
        expectedOffset = head.nextOffset
        expectedEvent = head.lastEvent
        expectedRecordedAt = head.lastRecordedAt
        self.events = events
    }

    /// Adds an event of a user behind the others, at the next offset.
    /// - Parameter payload: the bytes that the log stores, encoded as `type` and `schemaVersion` say.
    public mutating func append(
        _ event: Event, of user: UserID, type: EventType, schemaVersion: Int32, payload: [UInt8]
    ) {
        events.append(
            LoggedEvent(
                partition: partition, offset: expectedOffset.advanced(by: events.count), user: user,
                version: event.version, device: event.device, incarnation: event.incarnation,
                sequence: event.sequence, id: event.id, type: type.rawValue, app: event.app,
                occurredAt: event.occurredAt, recordedAt: event.recordedAt, schemaVersion: schemaVersion,
                encoding: event.isHealed ? LoggedEvent.healed : LoggedEvent.asSent, payload: payload))
    }

    /// Whether the events stand at the offsets of their batch. It is checked before every append, because the log
    /// trusts its writer.
    var isWellFormed: Bool {
        var last = events.first?.recordedAt
        for (index, event) in events.enumerated() {
            guard event.partition == partition, event.offset == expectedOffset.advanced(by: index),
                let previous = last, previous <= event.recordedAt
            else { return false }
            last = event.recordedAt
        }
        return !events.isEmpty
    }

    /// This is an error and not a trap, because what a batch holds comes from devices and clocks.
    static let malformed = PostgresError(kind: .usage, message: "events do not stand at the offsets of their batch")
}
