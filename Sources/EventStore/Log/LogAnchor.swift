import FocusCore
import PostgresClient

/// An event that was seen in the log. If another event stands at its offset, or none, the log lost its end: a standby
/// that lacked the event was promoted, or an older backup was restored. What was folded from the event then belongs to
/// another history.
public struct LogAnchor: Hashable, Sendable {
    public var offset: LogOffset
    public var event: EventID
    /// Tells an event from the same one that came back. An event that a device sends again after a loss has the same id
    /// and may get the same offset, behind other events than before. Its `recordedAt` differs, because a server whose
    /// clock is behind the log's time moves on by a random step (`ServerClock.step`).
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

/// The log no longer holds an event that was seen in it. State that was folded from the log must be read anew; devices
/// send again what was acknowledged to them (rule S6).
public struct LogTruncated: Error, Hashable, CustomStringConvertible {
    public var partition: Partition

    public init(_ partition: Partition) { self.partition = partition }

    public var description: String {
        "partition \(partition) of the log lacks events that it had: a standby was promoted or a backup restored"
    }
}

extension LogReader {
    /// The events right before the positions, by which another look tells whether the log is still the same up to there;
    /// none for a partition of which nothing was seen.
    public func anchors(
        before vector: PositionVector, on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: LogAnchor] {
        let places = vector.positions.filter { $0.value > .zero }.map { ($0.key, $0.value.advanced(by: -1)) }
        return try anchors(at: places, on: connection).compactMapValues(\.first)
    }

    /// Throws `LogTruncated` unless the log holds every one of `anchors`, and `PostgresError` when it cannot be asked.
    public func verify(_ anchors: [Partition: LogAnchor], on connection: PostgresConnection) throws {
        let found = try self.anchors(at: anchors.map { ($0.key, $0.value.offset) }, on: connection)
        for (partition, anchor) in anchors where !found[partition, default: []].contains(anchor) {
            throw LogTruncated(partition)
        }
    }

    /// Those of the heads whose last events the log holds. A head of an empty partition is none of them.
    func held(of heads: [PartitionHead], on connection: PostgresConnection) throws(PostgresError) -> Set<PartitionHead>
    {
        let places = heads.compactMap { head in head.anchor.map { (head.partition, $0.offset) } }
        let found = try anchors(at: places, on: connection)
        return Set(
            heads.filter { head in head.anchor.map { found[head.partition, default: []].contains($0) } ?? false })
    }

    private func anchors(
        at places: [(Partition, LogOffset)], on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: Set<LogAnchor>] {
        guard !places.isEmpty else { return [:] }
        let result = try connection.query(
            Queries.findAnchors, [.int4Array(places.map(\.0.rawValue)), .int8Array(places.map(\.1.rawValue))])
        var anchors: [Partition: Set<LogAnchor>] = [:]
        for row in 0..<result.rowCount {
            let anchor = LogAnchor(
                offset: LogOffset(try result.int8(row: row, column: 1)),
                event: EventID(try result.uuid(row: row, column: 2)),
                recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 3)))
            anchors[Partition(try result.int4(row: row, column: 0)), default: []].insert(anchor)
        }
        return anchors
    }
}
