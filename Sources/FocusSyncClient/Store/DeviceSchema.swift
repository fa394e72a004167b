import Foundation
import GRDB

/// The tables of a device's store.
enum DeviceSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: StoreRecord.databaseTableName) { table in
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
            try database.alter(table: StoreRecord.databaseTableName) { table in
                table.add(column: "sentBytes", .integer).notNull().defaults(to: 0)
                table.add(column: "isHealing", .boolean).notNull().defaults(to: false)
            }
            let bytes = try SentRecord.select(sum(length(SentRecord.Columns.payload)), as: Int64.self)
                .fetchOne(database)
            _ = try StoreRecord.updateAll(database, Column("sentBytes").set(to: bytes ?? 0))
        }
        migrator.registerMigration("4") { database in
            // Before, `sentBytes` was the sum of the payloads alone.
            let bytes = try SentRecord.keptBytes(of: SentRecord.all(), database)
            _ = try StoreRecord.updateAll(database, Column("sentBytes").set(to: bytes))
        }
        migrator.registerMigration("5", migrate: addPlaces)
        migrator.registerMigration("chosen times") { database in
            try database.alter(table: QueueRecord.databaseTableName) { table in
                table.add(column: "isChosen", .boolean).notNull().defaults(to: false)
            }
        }
        migrator.registerMigration("log") { database in
            for table in [SentRecord.databaseTableName, StoreRecord.databaseTableName] {
                try database.alter(table: table) { $0.add(column: "log", .blob) }
            }
            // The log in the cursor is the only one that an older store knows of.
            let device = Table(StoreRecord.databaseTableName)
            let log = try device.select(Column("cursorLog"), as: Data?.self).fetchOne(database) ?? nil
            _ = try device.updateAll(database, Column("log").set(to: log))
            _ = try SentRecord.updateAll(database, SentRecord.Columns.log.set(to: log))
        }
        migrator.registerMigration("unseen version") { database in
            try database.alter(table: StoreRecord.databaseTableName) { table in
                table.add(column: "unseenVersion", .integer).notNull().defaults(to: 0)
            }
        }
        migrator.registerMigration("ended in a log") { database in
            try database.alter(table: EndedRecord.databaseTableName) { $0.add(column: "log", .blob) }
            let log = try Table(StoreRecord.databaseTableName).select(Column("log"), as: Data?.self)
                .fetchOne(database) ?? nil
            _ = try EndedRecord.updateAll(database, EndedRecord.Columns.log.set(to: log))
        }
        return migrator
    }

    /// Stores with each event its incarnation and sequence (rule P10). Before, an event's sequence was its place in the
    /// queue minus the places of earlier incarnations.
    private static func addPlaces(_ database: Database) throws {
        try database.alter(table: QueueRecord.databaseTableName) { table in
            for column in ["incarnation", "sequence"] { table.add(column: column, .integer).notNull().defaults(to: 0) }
        }
        try database.alter(table: StoreRecord.databaseTableName) { table in
            for column in ["lastSequence", "acknowledgedSequence", "lastSentPlace", "queuedEvents"] {
                table.add(column: column, .integer).notNull().defaults(to: 0)
            }
            for column in ["answeredIncarnation", "answeredSequence"] { table.add(column: column, .integer) }
            table.add(column: "answeredEvent", .blob)
            table.add(column: "isRecalling", .boolean).notNull().defaults(to: false)
        }
        try fillPlaces(database)
        try database.alter(table: StoreRecord.databaseTableName) { table in
            for column in ["sequenceBase", "acknowledgedPlace"] { table.drop(column: column) }
        }
        try database.create(
            index: "queueBySequence", on: QueueRecord.databaseTableName, columns: ["incarnation", "sequence"],
            options: .unique)
        try database.create(
            index: "sentBySequence", on: SentRecord.databaseTableName, columns: ["incarnation", "sequence"])
        try database.create(table: EndedRecord.databaseTableName) { table in
            table.primaryKey("incarnation", .integer)
            for column in ["endedAt", "place"] { table.column(column, .integer).notNull() }
        }
    }

    private static func fillPlaces(_ database: Database) throws {
        let device = Table(StoreRecord.databaseTableName)
        let (base, last, acknowledged) = (Column("sequenceBase"), Column("lastPlace"), Column("acknowledgedPlace"))
        let kept = try device.select(Column("incarnation"), base, acknowledged).fetchOne(database)
        guard let kept else { return }
        let (incarnation, firstPlace, answeredPlace): (Int64, Int64, Int64) = (kept[0], kept[1], kept[2])
        _ = try device.updateAll(
            database,
            [
                Column("lastSequence").set(to: last - base),
                Column("acknowledgedSequence").set(to: acknowledged - base),
                Column("lastSentPlace").set(to: acknowledged), Column("queuedEvents").set(to: last - acknowledged),
            ])
        _ = try QueueRecord.updateAll(
            database,
            [
                QueueRecord.Columns.incarnation.set(to: incarnation),
                QueueRecord.Columns.sequence.set(to: QueueRecord.Columns.place - firstPlace),
            ])
        let isAnswered =
            SentRecord.Columns.place == answeredPlace && SentRecord.Columns.incarnation == incarnation
        guard let newest = try SentRecord.filter(isAnswered).fetchOne(database) else { return }
        _ = try device.updateAll(
            database,
            [
                Column("answeredIncarnation").set(to: incarnation),
                Column("answeredSequence").set(to: newest.sequence), Column("answeredEvent").set(to: newest.event),
            ])
    }

    /// Makes what each opening of the file needs: in a new file the device's row, and always the temporary table of
    /// unfinished snapshots and deltas.
    static func prepare(_ database: Database) throws {
        if try StoreRecord.fetchCount(database) == 0 {
            try StoreRecord(incarnation: randomIncarnation()).insert(database)
        }
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
