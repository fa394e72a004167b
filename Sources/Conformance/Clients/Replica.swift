import FocusCore

/// What a device holds. It applies the server's messages as a client must, and throws at whatever a server may not
/// send.
struct Replica {
    private(set) var rows: [RowKey: [UInt8]] = [:]
    private(set) var cursor: Cursor?
    /// The rows since a Begin without its End, and the collections that the snapshot replaces; nil: there is none under
    /// way.
    private var pending: [DeltaRow]?
    private var replaced: Set<RowCollection>?
    private(set) var snapshots = 0
    private(set) var checkpoints = 0
    /// Whether nothing has come since a checkpoint confirmed the rows.
    private(set) var isConfirmed = false
    /// The key of every row that came, in order: cases count how often a row came.
    private(set) var received: [RowKey] = []

    var version: Version { cursor?.version ?? .zero }

    func keys(of collection: RowCollection) -> [String] {
        rows.keys.filter { $0.collection == collection }.map(\.key).sorted()
    }

    /// Replaces a row with wrong bytes.
    mutating func spoil(_ key: RowKey) { rows[key] = [0xFF] }

    mutating func apply(_ message: ServerMessage) throws {
        if case .snapshotBegin(_, let collections) = message {
            try begin()
            replaced = Set(collections)
        } else if case .deltaBegin = message {
            try begin()
        } else if case .delta(_, let rows, let cursor) = message {
            try expect(pending == nil, "a Delta within a snapshot or another delta")
            count(rows)
            put(rows)
            try move(to: cursor)
            isConfirmed = false
        } else if case .checkpoint(let cursor, let digests) = message {
            try expect(pending == nil, "a Checkpoint within a snapshot or delta")
            try move(to: cursor)
            try compare(digests)
            checkpoints += 1
            isConfirmed = true
        } else if let cursor = message.cursor {
            try end(cursor)
        } else if !message.rows.isEmpty {
            try expect(pending != nil, "rows outside of a snapshot or delta")
            count(message.rows)
            pending?.append(contentsOf: message.rows)
        } else if case .error(let error) = message {
            throw CaseFailure("Error \(error.code.rawValue): \(error.message)")
        } else if case .goAway(let goAway) = message {
            throw CaseFailure("GoAway \(goAway.code.rawValue)")
        }
    }

    /// Applies what comes until the device is at `version` or later and a checkpoint has confirmed its rows.
    mutating func follow(_ connection: RawConnection, to version: Version) async throws {
        try await follow(connection, "checkpoint at version \(version.rawValue)") {
            $0.version >= version && $0.isConfirmed
        }
    }

    mutating func follow(
        _ connection: RawConnection, _ what: String, until isEnough: (Replica) -> Bool
    ) async throws {
        for message in connection.removePassedOver() { try apply(message) }
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(connection.patience * 2))
        while !isEnough(self) {
            do {
                try apply(try await connection.next(within: max(0, (end - clock.now).inSeconds)))
            } catch let silence as Silence {
                throw CaseFailure("no \(what): \(silence); the device is at version \(version.rawValue)")
            }
        }
    }

    private mutating func begin() throws {
        try expect(pending == nil, "a snapshot or delta begins within another")
        pending = []
        replaced = nil
        isConfirmed = false
    }

    private mutating func end(_ cursor: Cursor) throws {
        guard let arrived = pending else { throw CaseFailure("the end of a snapshot or delta that did not begin") }
        if let replaced {
            rows = rows.filter { !replaced.isEmpty && !replaced.contains($0.key.collection) }
            snapshots += 1
        }
        put(arrived)
        pending = nil
        // A snapshot, also one of some collections, may end at an earlier version than the device had.
        if replaced == nil { try move(to: cursor) } else { self.cursor = cursor }
        replaced = nil
    }

    private mutating func move(to cursor: Cursor) throws {
        try expect(
            cursor.version >= version, "the cursor goes back from \(version.rawValue) to \(cursor.version.rawValue)")
        self.cursor = cursor
    }

    private mutating func count(_ rows: [DeltaRow]) { received += rows.map(\.key) }

    private mutating func put(_ changed: [DeltaRow]) {
        for row in changed { rows[row.key] = row.value }
    }

    /// Rule S9 in both directions: every digest must match the rows held, and every collection held must have a digest.
    private func compare(_ digests: [CollectionDigest]) throws {
        var held: [RowCollection: (count: UInt64, digest: Digest)] = [:]
        for (key, value) in rows {
            held[key.collection, default: (0, Digest())].digest += RowHash(key, value: value)
            held[key.collection]?.count += 1
        }
        for expected in digests {
            let (count, digest) = held.removeValue(forKey: expected.collection) ?? (0, Digest())
            try expect(
                count == expected.count && digest == expected.digest,
                "the digest of \(expected.collection.rawValue) differs: \(count) rows here, \(expected.count) there")
        }
        let unnamed = held.keys.map(\.rawValue).sorted()
        try expect(unnamed.isEmpty, "the checkpoint names no digest of \(unnamed), of which the device was sent rows")
    }

    /// Names up to five rows that differ on another device of the user; empty: none differ. Refusals are left out: they
    /// belong to one device.
    func difference(from other: Replica) -> String {
        let keys = Set(rows.keys).union(other.rows.keys).filter {
            $0.collection != .refusals && rows[$0] != other.rows[$0]
        }
        return keys.prefix(5).map { "\($0.collection.rawValue) \($0.app?.rawValue ?? "–") \($0.key)" }
            .joined(separator: ", ") + (keys.count > 5 ? " and \(keys.count - 5) more" : "")
    }
}
