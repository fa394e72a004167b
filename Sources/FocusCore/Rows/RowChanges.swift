/// How a user's public rows changed over some events.
public struct RowChanges: Hashable, Sendable {
    public struct Change: Hashable, Sendable {
        public var version: Version
        /// Whether the row was gone after the event of that version.
        public var isDeleted: Bool

        public init(version: Version, isDeleted: Bool) {
            self.version = version
            self.isDeleted = isDeleted
        }
    }

    public struct Row: Hashable, Sendable {
        public var key: RowKey
        /// Where its changes stand in `list`.
        public var changes: Range<Int>

        public init(key: RowKey, changes: Range<Int>) {
            self.key = key
            self.changes = changes
        }
    }

    /// The version after which they begin, and the event there.
    public var start: Version
    public var startEvent: EventID
    /// The version of the last event, and that event.
    public var end: Version
    public var endEvent: EventID
    /// In the order in which the rows first changed. A key may come twice, the later changes behind.
    public var rows: [Row] = []
    /// The changes of what devices see of the rows: each row's together, in order. One list, because a list for each
    /// row takes longer to make than all the rest.
    public var list: [Change] = []

    public init(start: Version, startEvent: EventID, end: Version, endEvent: EventID) {
        self.start = start
        self.startEvent = startEvent
        self.end = end
        self.endEvent = endEvent
    }
}

extension RowChanges {
    /// The collection and the app of rows.
    private struct Table: Hashable {
        var collection: RowCollection
        var app: AppID?
    }

    /// The changes as bytes: `1` start, `2` its event, `3` end, `4` its event, then a message `5` for each row, and
    /// before the first row of each table a message `6` for the table.
    public var encoded: [UInt8] {
        var writer = ProtoWriter(capacity: 64 + 64 * rows.count + 4 * list.count)
        writer.int(1, start.rawValue)
        writer.data(2, startEvent.bytes)
        writer.int(3, end.rawValue)
        writer.data(4, endEvent.bytes)
        var tables: [Table: UInt64] = [:]
        for row in rows {
            let table = Table(collection: row.key.collection, app: row.key.app)
            let number = tables[table] ?? UInt64(tables.count)
            if number == tables.count {
                tables[table] = number
                writer.message(6) { inner in
                    inner.presentString(1, table.collection.rawValue)
                    inner.optionalString(2, table.app?.rawValue)
                }
            }
            writer.message(5) { inner in
                inner.varint(1, number)
                inner.string(2, row.key.key)
                var last = start
                for change in list[row.changes] {
                    // How much later than the one before, and whether the row is gone.
                    let step = UInt64(bitPattern: change.version.rawValue &- last.rawValue)
                    inner.presentVarint(3, step << 1 | (change.isDeleted ? 1 : 0))
                    last = change.version
                }
            }
        }
        return writer.bytes
    }

    /// Throws when the bytes are not those of changes.
    /// - Parameter withRows: whether rows are read; otherwise there are none.
    public init(decoding bytes: [UInt8], withRows: Bool = true) throws(ProtoError) {
        self.init(start: .zero, startEvent: .none, end: .zero, endEvent: .none)
        var tables: [Table] = []
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: start = Version(try value.int())
            case 2: startEvent = try value.uuid(EventID.self)
            case 3: end = Version(try value.int())
            case 4: endEvent = try value.uuid(EventID.self)
            // Rows come last.
            case 5 where !withRows, 6 where !withRows: return
            case 5: try readRow(value.bytes(), tables)
            case 6: tables.append(try Self.table(value.bytes()))
            default: break
            }
        }
    }

    private static func table(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> Table {
        var reader = ProtoReader(bytes)
        var (collection, app): (RowCollection?, AppID?) = (nil, nil)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: collection = RowCollection(rawValue: try value.string())
            case 2:
                guard let known = AppID(try value.string()) else { throw .unexpected }
                app = known
            default: break
            }
        }
        guard let collection else { throw .unexpected }
        return Table(collection: collection, app: app)
    }

    private mutating func readRow(_ bytes: ArraySlice<UInt8>, _ tables: [Table]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (table, key, last) = (UInt64(0), "", start)
        let first = list.count
        while let (field, value) = try reader.next() {
            switch field {
            case 1: table = try value.uint()
            case 2: key = try value.string()
            case 3:
                let number = try value.uint()
                last = Version(last.rawValue &+ Int64(number >> 1))
                list.append(Change(version: last, isDeleted: number & 1 == 1))
            default: break
            }
        }
        guard let place = Int(exactly: table), tables.indices.contains(place) else { throw .unexpected }
        let name = RowKey(tables[place].collection, app: tables[place].app, key: key)
        rows.append(Row(key: name, changes: first..<list.count))
    }
}

extension UserState {
    /// Begins to record which rows change, from the version where the state stands; what was recorded is dropped. Each
    /// change takes 16 bytes of memory until it begins again or ends.
    public mutating func beginChanges() { shared.store.journal = RowJournal(after: version, lastEvent) }

    public mutating func endChanges() { shared.store.journal = nil }

    /// How many changes were recorded since `beginChanges`; nil when none are recorded.
    public var changeCount: Int? { shared.store.journal?.count }

    /// What changed since `beginChanges`; nil when it is not recorded.
    public var changes: RowChanges? {
        shared.store.journal?.changes(in: shared.store.rows.entries, through: version, lastEvent)
    }
}
