import FocusCore
import PostgresClient

/// An event that was seen in the log. Where another one stands in its place, or none, the log lost its end: a standby was
/// promoted that lacked it, or an older backup restored. What was folded from it is then of another history.
public struct LogAnchor: Hashable, Sendable {
    public var offset: LogOffset
    public var event: EventID
    /// What a device brings back has the same id, and may come to the same place; what stands before it may differ. A
    /// server that is behind the log's time draws how far it moves on, so that this differs too.
    public var recordedAt: Timestamp

    public init(offset: LogOffset, event: EventID, recordedAt: Timestamp) {
        self.offset = offset
        self.event = event
        self.recordedAt = recordedAt
    }
}

extension LoggedEvent {
    public var anchor: LogAnchor { LogAnchor(offset: offset, event: id, recordedAt: recordedAt) }
}

/// The log no longer holds what was seen of it. Whoever goes on must read it anew; devices bring back what they were
/// promised (rule S6).
public struct LogFellBack: Error, Hashable, CustomStringConvertible {
    public var partition: Partition

    public init(_ partition: Partition) { self.partition = partition }

    public var description: String {
        "partition \(partition) of the log lacks events that it had: a standby was promoted or a backup restored"
    }
}

extension LogReader {
    /// Throws `LogFellBack` unless the log holds all of them; else `PostgresError`.
    func verify(_ anchors: [Partition: LogAnchor], on connection: PostgresConnection) throws {
        let found = try self.anchors(at: anchors.map { ($0.key, $0.value.offset) }, on: connection)
        for (partition, anchor) in anchors where found[partition] != anchor { throw LogFellBack(partition) }
    }

    private func anchors(
        at places: [(Partition, LogOffset)], on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: LogAnchor] {
        guard !places.isEmpty else { return [:] }
        let result = try connection.query(
            Queries.findAnchors, [.int4Array(places.map(\.0.rawValue)), .int8Array(places.map(\.1.rawValue))])
        var anchors: [Partition: LogAnchor] = [:]
        for row in 0..<result.rowCount {
            anchors[Partition(try result.int4(row: row, column: 0))] = LogAnchor(
                offset: LogOffset(try result.int8(row: row, column: 1)),
                event: EventID(try result.uuid(row: row, column: 2)),
                recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 3)))
        }
        return anchors
    }
}
