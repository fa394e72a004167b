import FocusCore
import PostgresClient

/// Appends many events of one partition at once with COPY: for generated logs, not for devices that wait.
///
/// The same promise as `LogWriter`: all or nothing, and only where the partition still ends as the caller believes.
public struct LogCopier: Sendable {
    public init() {}

    /// Returns after the commit. False means that the partition ends elsewhere or has later events, and nothing was
    /// written.
    ///
    /// Throws `PostgresError`; when its `outcomeIsUnknown`, the heads tell what happened.
    public func append(_ batch: PartitionAppend, on connection: PostgresConnection) throws -> Bool {
        guard batch.isWellFormed else { throw PartitionAppend.malformed }
        struct Moved: Error {}
        do {
            try connection.transaction { connection in
                guard try Self.moveHead(batch, on: connection) else { throw Moved() }
                try connection.copyIn(Queries.copyEventsIn) { writer in
                    for event in batch.events { try writer.row(event.copyValues) }
                }
            }
            return true
        } catch is Moved {
            return false
        }
    }

    /// The head moves before the events are copied, because its update takes the lock that orders appends. Nobody sees
    /// the new head without its events: nothing of the transaction is visible before its commit.
    private static func moveHead(_ batch: PartitionAppend, on connection: PostgresConnection) throws -> Bool {
        let first = batch.events[0]
        let last = batch.events[batch.events.count - 1]
        let moved = try connection.query(
            Queries.moveHead,
            [
                .int4(batch.partition.rawValue), .int8(batch.expectedOffset.rawValue), .uuid(batch.expectedEvent.uuid),
                .timestamptz(microsecondsSince1970: batch.expectedRecordedAt.microseconds),
                .int8(last.offset.next.rawValue), .uuid(last.id.uuid),
                .timestamptz(microsecondsSince1970: first.recordedAt.microseconds),
                .timestamptz(microsecondsSince1970: last.recordedAt.microseconds),
            ])
        return moved.rowCount == 1
    }
}

extension LoggedEvent {
    /// The columns in the order of `copy_events_in`.
    var copyValues: [PostgresValue] {
        [
            .int4(partition.rawValue), .int8(offset.rawValue), .uuid(user.uuid), .int8(version.rawValue),
            .uuid(device.uuid), .int8(incarnation.rawValue), .int8(sequence.rawValue), .uuid(id.uuid), .text(type),
            app.map { .text($0.rawValue) } ?? .null, .timestamptz(microsecondsSince1970: occurredAt.microseconds),
            .timestamptz(microsecondsSince1970: recordedAt.microseconds), .int4(schemaVersion), .int2(encoding),
            .bytea(payload),
        ]
    }
}
