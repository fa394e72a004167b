import FocusCore
import Foundation
import GRDB
import Synchronization

extension DeviceStore {
    /// Erases all that the store holds of its user: rows, events, whom it belongs to. It is a new store then, and
    /// nothing of what it held is left in its files.
    ///
    /// What the server has not acknowledged is lost. A client calls this when the server says that the device was
    /// revoked (rule A3); call it when a person signs out, best after `SyncClient.close`. Nothing is stored any more until
    /// somebody claims the store: a new client does.
    /// - Returns: the rows that are gone.
    @discardableResult
    public func erase() throws -> [RowChange] {
        try database.writeWithoutTransaction { database in
            // Pages that become free are overwritten; the write-ahead log is emptied below.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            var gone: [RowChange] = []
            try database.inTransaction {
                // A row that cannot be read is erased like the others.
                gone = try RowRecord.fetchAll(database).compactMap { row in
                    guard let key = try? row.rowKey() else { return nil }
                    return RowChange(key: key, version: Version(row.version), before: Array(row.value), after: nil)
                }
                for table in [
                    QueueRecord.databaseTableName, SentRecord.databaseTableName, RowRecord.databaseTableName,
                    DigestRecord.databaseTableName, EndedRecord.databaseTableName, StagedRecord.databaseTableName,
                    StoreRecord.databaseTableName,
                ] {
                    _ = try Table(table).deleteAll(database)
                }
                try StoreRecord(incarnation: DeviceSchema.randomIncarnation()).insert(database)
                // Within the transaction: whoever waits to write comes after it.
                isErased.store(true, ordering: .releasing)
                return .commit
            }
            try database.execute(sql: "VACUUM")
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            return gone
        }
    }
}
