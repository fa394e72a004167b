import FocusCore
import Foundation
import GRDB

/// A row of the temporary table `staged`: part of a snapshot or delta that has not ended yet. The table does not
/// outlive the process, so an unfinished snapshot leaves nothing behind (rule S5).
struct StagedRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "staged"

    enum Columns {
        static let place = Column(CodingKeys.place)
    }

    /// The order in which the rows came: with the same key, the last one counts.
    var place: Int64?
    var collection: String
    var app: String
    var key: Data
    var version: Int64
    var value: Data?

    init(_ row: DeltaRow) {
        collection = row.key.collection.rawValue
        app = row.key.app?.rawValue ?? ""
        key = Data(row.key.key.utf8)
        version = row.version.rawValue
        value = row.value.map { Data($0) }
    }

    func deltaRow() throws(DeviceStoreError) -> DeltaRow {
        DeltaRow(
            key: try RowKey(collection: collection, app: app, key: key), version: Version(version),
            value: value.map { Array($0) })
    }
}
