import FocusCore
import Foundation
import GRDB

import struct FocusCore.Cursor

extension DeviceStore {
    // MARK: Reading

    /// The confirmed rows, ordered by key.
    /// - Parameter collection: nil: the rows of all collections.
    public func rows(in collection: RowCollection? = nil) throws -> [ConfirmedRow] {
        try database.read { database in
            var request = RowRecord.all()
            if let collection { request = request.filter(RowRecord.Columns.collection == collection.rawValue) }
            return
                try request
                .order(RowRecord.Columns.collection, RowRecord.Columns.app, RowRecord.Columns.key)
                .fetchAll(database).map { try $0.confirmed() }
        }
    }

    /// The confirmed row with this key; nil: there is none.
    public func row(_ key: RowKey) throws -> ConfirmedRow? {
        try database.read { try RowRecord.all().row(key).fetchOne($0)?.confirmed() }
    }

    /// The running digest of each collection that has or had rows (rule S9).
    public func digests() throws -> [CollectionDigest] {
        try database.read { try Self.digests($0).digests }
    }

    /// The digests, computed anew from the rows. They equal `digests()` unless the file was damaged.
    public func recomputedDigests() throws -> [CollectionDigest] {
        try database.read { database in
            var digests = RunningDigests()
            let rows = try RowRecord.fetchCursor(database)
            while let row = try rows.next() {
                let key = try row.rowKey()
                digests.add(RowHash(key, value: Array(row.value)).value, to: key.collection)
            }
            return digests.digests
        }
    }

    // MARK: Deltas and snapshots

    /// Applies a delta and stores its cursor, in one transaction (rule S3).
    /// - Returns: the rows that are different now.
    @discardableResult
    public func apply(_ rows: [DeltaRow], _ cursor: Cursor) throws -> [RowChange] {
        try write { record, database in
            try Self.applyDelta(rows, cursor, &record, database)
        }
    }

    /// Deletes all staged rows, so that a new snapshot or delta can be staged.
    public func beginStaging() throws {
        try write { _, database in _ = try StagedRecord.deleteAll(database) }
    }

    /// Stages rows of a snapshot or delta that has not ended yet. They do not outlive the process.
    public func stage(_ rows: [DeltaRow]) throws {
        try write { _, database in
            for row in rows { try StagedRecord(row).insert(database) }
        }
    }

    /// Applies the staged rows as a delta and stores its cursor, in one transaction (rule S3).
    /// - Returns: the rows that are different now.
    @discardableResult
    public func finishDelta(_ cursor: Cursor) throws -> [RowChange] {
        try write { record, database in
            let rows = try Self.dequeueStaged(database)
            return try Self.applyDelta(rows, cursor, &record, database)
        }
    }

    /// Replaces the rows of `collections` by the staged ones and stores the cursor, in one transaction (rules S1, S5,
    /// S9).
    /// - Parameter collections: none: all rows are replaced.
    /// - Returns: the rows that are different now.
    @discardableResult
    public func finishSnapshot(_ cursor: Cursor, replacing collections: [RowCollection] = []) throws -> [RowChange] {
        let names = collections.map(\.rawValue)
        return try write { record, database in
            var before: [RowKey: [UInt8]] = [:]
            for row in try RowRecord.fetchAll(database) {
                // A row that cannot be read is replaced like the others.
                if let key = try? row.rowKey() { before[key] = Array(row.value) }
            }
            let replaced = RowRecord.all()
            let digests = DigestRecord.all()
            if names.isEmpty {
                try replaced.deleteAll(database)
                try digests.deleteAll(database)
                try Self.forgetOtherVersions(than: cursor, &record, database)
            } else {
                try replaced.filter(names.contains(RowRecord.Columns.collection)).deleteAll(database)
                try digests.filter(names.contains(RowRecord.Columns.collection)).deleteAll(database)
            }
            let rows = try Self.dequeueStaged(database)
            try Self.applyDelta(rows, cursor, &record, database)
            return try Self.changes(from: before, at: cursor.version, database)
        }
    }

    /// Forgets versions that are counted otherwise than those of a new cursor, because the server changed what it
    /// counts for this view (rule Z1). The snapshot includes what was acknowledged before.
    private static func forgetOtherVersions(
        than cursor: Cursor, _ record: inout StoreRecord, _ database: Database
    ) throws {
        guard let before = record.cursor, before.view != cursor.view else { return }
        record.unseenVersion = 0
        try forgetVersions(database)
    }

    /// Moves the cursor over versions that changed nothing in this view (rule S7).
    public func advance(to cursor: Cursor) throws {
        try write { record, _ in record.set(cursor) }
    }

    // MARK: Steps

    private static func dequeueStaged(_ database: Database) throws -> [DeltaRow] {
        let rows = try StagedRecord.order(StagedRecord.Columns.place).fetchAll(database).map { try $0.deltaRow() }
        try StagedRecord.deleteAll(database)
        return rows
    }

    @discardableResult
    private static func applyDelta(
        _ rows: [DeltaRow], _ cursor: Cursor, _ record: inout StoreRecord, _ database: Database
    ) throws -> [RowChange] {
        var digests = try digests(database)
        var changes: [RowChange] = []
        for row in rows {
            if let time = row.seenTime { record.eventClock.observe(time) }
            let request = RowRecord.all().row(row.key)
            let before = try request.fetchOne(database)
            if let before, let sum = Digest(bytes: before.hash)?.sum {
                digests.remove(sum, from: row.key.collection)
            }
            if let value = row.value {
                try RowRecord(row.key, version: row.version, value: value).insert(database, onConflict: .replace)
                digests.add(RowHash(row.key, value: value).value, to: row.key.collection)
            } else {
                try request.deleteAll(database)
            }
            let valueBefore = before.map { Array($0.value) }
            guard valueBefore != row.value else { continue }
            changes.append(RowChange(key: row.key, version: row.version, before: valueBefore, after: row.value))
        }
        for digest in digests.digests { try DigestRecord(digest).insert(database, onConflict: .replace) }
        record.set(cursor)
        return changes
    }

    private static func digests(_ database: Database) throws -> RunningDigests {
        RunningDigests(try DigestRecord.fetchAll(database).map { try $0.collectionDigest() })
    }

    /// The differences between the rows before and now, ordered by version, then by key. Rows that are gone come last.
    private static func changes(
        from before: [RowKey: [UInt8]], at version: Version, _ database: Database
    ) throws -> [RowChange] {
        var before = before
        var changes: [RowChange] = []
        for row in try RowRecord.fetchAll(database).map({ try $0.confirmed() }) {
            let old = before.removeValue(forKey: row.key)
            guard old != row.value else { continue }
            changes.append(RowChange(key: row.key, version: row.version, before: old, after: row.value))
        }
        changes.sort { ($0.version, $0.key) < ($1.version, $1.key) }
        return changes
            + before.keys.sorted().map { key in
                RowChange(key: key, version: version, before: before[key], after: nil)
            }
    }
}
