import FocusCore
import PostgresClient

/// Which rows of a user were different at two versions, and which events made them so.
public struct StateDifference: Sendable {
    public struct Cause: Hashable, Sendable {
        public var version: Version
        public var event: EventID
        /// An `EventType` raw value.
        public var type: String
        public var device: DeviceID
        public var occurredAt: Timestamp
        public var recordedAt: Timestamp
    }

    public struct Change: Hashable, Sendable {
        public var key: RowKey
        /// The value at `from`; nil when there was no such row.
        public var before: [UInt8]?
        public var after: [UInt8]?
        /// The last events that changed what devices see of the row, at most `causeLimit`.
        public var causes: [Cause]
        /// How many such events came before those.
        public var omittedCauses: Int
    }

    /// How many causes of one row are kept at most.
    public static let causeLimit = 10

    public let from: Version
    public let to: Version
    /// Sorted by key. A row that changed and changed back is not among them.
    public let changes: [Change]

    /// Compares the states at `from` and `to`, `from` ≤ `to` ≤ `head`. Throws what `StateReader.state` throws.
    public init(
        of user: UserID, in partition: Partition, from: Version, to: Version, head: Version, with reader: StateReader,
        on connection: PostgresConnection
    ) throws {
        self.from = from
        self.to = to
        let before = try reader.state(of: user, in: partition, at: from, head: head, on: connection)
        var state = before
        var causes: [RowKey: (last: [Cause], omitted: Int)] = [:]
        try reader.fold(&state, in: partition, through: to, on: connection) { event, keys, state in
            for key in Set(keys) where key.collection.isPublic {
                guard let row = state.row(key), row.version == event.version else { continue }
                // A row that came and went again is no difference; keeping its causes would grow with the history.
                if row.isDeleted, before.shown(key) == nil {
                    causes[key] = nil
                    continue
                }
                var known = causes[key] ?? ([], 0)
                known.last.append(Cause(event))
                if known.last.count > Self.causeLimit {
                    known.last.removeFirst()
                    known.omitted += 1
                }
                causes[key] = known
            }
        }
        changes = causes.compactMap { key, known in
            let (old, new) = (before.shown(key), state.shown(key))
            guard old != new else { return nil }
            return Change(key: key, before: old, after: new, causes: known.last, omittedCauses: known.omitted)
        }.sorted { $0.key < $1.key }
    }
}

extension UserState {
    /// What devices may see of a row; nil when there is none.
    fileprivate func shown(_ key: RowKey) -> [UInt8]? {
        guard let row = row(key), !row.isDeleted else { return nil }
        return row.value
    }
}

extension StateDifference.Cause {
    fileprivate init(_ event: LoggedEvent) {
        self.init(
            version: event.version, event: event.id, type: event.type, device: event.device,
            occurredAt: event.occurredAt, recordedAt: event.recordedAt)
    }
}
