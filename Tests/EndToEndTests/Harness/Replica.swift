import FocusCore

/// What a device holds: applies messages as a client must, and checks every digest.
struct Replica {
    var rows: [RowKey: [UInt8]] = [:]
    var cursor: Cursor?
    /// Rows that arrived between Begin and End.
    private var pending: [DeltaRow]?
    private var isSnapshot = false
    /// The collections that the snapshot under way replaces; empty: all of them.
    private var replaced: Set<RowCollection> = []
    private(set) var snapshots = 0
    private(set) var mismatches: [RowCollection] = []
    private(set) var checkpoints = 0
    /// The version of the newest checkpoint.
    private(set) var checkedVersion = Version.zero

    mutating func apply(_ message: ServerMessage) {
        switch message {
        case .snapshotBegin(_, let collections):
            pending = []
            replaced = Set(collections)
            isSnapshot = true
        case .deltaBegin:
            pending = []
            isSnapshot = false
        case .snapshotRows(let rows), .deltaRows(let rows): pending?.append(contentsOf: rows)
        case .snapshotEnd(let cursor), .deltaEnd(let cursor):
            if isSnapshot {
                rows = rows.filter { !replaced.isEmpty && !replaced.contains($0.key.collection) }
                snapshots += 1
            }
            put(pending ?? [])
            pending = nil
            self.cursor = cursor
        case .delta(_, let rows, let cursor):
            put(rows)
            self.cursor = cursor
        case .checkpoint(let cursor, let digests):
            checkpoints += 1
            checkedVersion = cursor.version
            self.cursor = cursor
            compare(digests)
        case .welcome, .appended, .recalled, .ping, .pong, .error, .goAway, .tokenExpiry, .fetched, .peerStatuses,
            .unknown:
            break
        }
    }

    private mutating func put(_ changed: [DeltaRow]) {
        for row in changed { rows[row.key] = row.value }
    }

    private mutating func compare(_ digests: [CollectionDigest]) {
        for expected in digests {
            var digest = Digest()
            var count: UInt64 = 0
            for (key, value) in rows where key.collection == expected.collection {
                digest += RowHash(key, value: value)
                count += 1
            }
            if digest != expected.digest || count != expected.count { mismatches.append(expected.collection) }
        }
    }
}
