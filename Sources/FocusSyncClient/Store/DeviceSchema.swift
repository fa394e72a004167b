import GRDB

/// The tables of a device's store.
enum DeviceSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: DeviceRecord.databaseTableName) { table in
                table.primaryKey("id", .integer)
                for column in ["user", "device", "scope"] { table.column(column, .text) }
                for column in [
                    "incarnation", "sequenceBase", "lastPlace", "acknowledgedPlace", "queuedBytes", "greatestTime",
                    "cursorVersion", "cursorView",
                ] {
                    table.column(column, .integer).notNull()
                }
                for column in ["cursorLog", "cursorEvent"] { table.column(column, .blob) }
            }
            try database.create(table: QueueRecord.databaseTableName) { table in
                table.primaryKey("place", .integer)
                table.column("event", .blob).notNull()
                table.column("type", .text).notNull()
                table.column("app", .text)
                table.column("occurredAt", .integer).notNull()
                table.column("schemaVersion", .integer).notNull()
                table.column("payload", .blob).notNull()
            }
            try database.create(table: RowRecord.databaseTableName, options: .withoutRowID) { table in
                table.column("collection", .text).notNull()
                table.column("app", .text).notNull()
                table.column("key", .blob).notNull()
                table.column("version", .integer).notNull()
                table.column("value", .blob).notNull()
                table.column("hash", .blob).notNull()
                table.primaryKey(["collection", "app", "key"])
            }
            try database.create(table: DigestRecord.databaseTableName) { table in
                table.primaryKey("collection", .text)
                table.column("count", .integer).notNull()
                table.column("digest", .blob).notNull()
            }
        }
        migrator.registerMigration("2") { database in
            try database.create(table: SentRecord.databaseTableName) { table in
                table.primaryKey("place", .integer)
                for column in ["incarnation", "sequence", "occurredAt", "schemaVersion", "acknowledgedAt"] {
                    table.column(column, .integer).notNull()
                }
                table.column("version", .integer).notNull().indexed()
                table.column("event", .blob).notNull()
                table.column("type", .text).notNull()
                table.column("payload", .blob).notNull()
                for column in ["app", "refusal", "message"] { table.column(column, .text) }
            }
        }
        migrator.registerMigration("3") { database in
            try database.alter(table: SentRecord.databaseTableName) { table in
                for column in ["receiptFirst", "receiptThrough"] { table.add(column: column, .integer) }
                table.add(column: "receipt", .blob)
            }
            try database.alter(table: DeviceRecord.databaseTableName) { table in
                table.add(column: "sentBytes", .integer).notNull().defaults(to: 0)
                table.add(column: "isHealing", .boolean).notNull().defaults(to: false)
            }
            let bytes = try SentRecord.select(sum(length(SentRecord.Columns.payload)), as: Int64.self)
                .fetchOne(database)
            // A store that was made before this has its row.
            if var record = try DeviceRecord.fetchOne(database) {
                record.sentBytes = bytes ?? 0
                try record.update(database)
            } else {
                try DeviceRecord(incarnation: randomIncarnation()).insert(database)
            }
        }
        migrator.registerMigration("4") { database in
            // Payloads alone were counted before.
            guard var record = try DeviceRecord.fetchOne(database) else { return }
            record.sentBytes = try SentRecord.keptBytes(of: SentRecord.all(), database)
            try record.update(database)
        }
        migrator.registerMigration("chosen times") { database in
            try database.alter(table: QueueRecord.databaseTableName) { table in
                table.add(column: "isChosen", .boolean).notNull().defaults(to: false)
            }
        }
        return migrator
    }

    /// What a connection needs beside the file: the temporary table of unfinished snapshots and deltas.
    static func prepare(_ database: Database) throws {
        try database.create(table: StagedRecord.databaseTableName, options: .temporary) { table in
            table.autoIncrementedPrimaryKey("place")
            table.column("collection", .text).notNull()
            table.column("app", .text).notNull()
            table.column("key", .blob).notNull()
            table.column("version", .integer).notNull()
            table.column("value", .blob)
        }
    }

    static func randomIncarnation() -> Int64 {
        var generator = SystemRandomNumberGenerator()
        return Int64.random(in: 1...Int64.max, using: &generator)
    }
}
