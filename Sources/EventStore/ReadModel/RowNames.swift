import FocusCore
import PostgresClient

/// Reads the keys of stored rows. Rows of a collection come one after the other, and mostly of one app: the names are
/// compared byte by byte with those of the row before, which spares looking them up and making them again.
struct RowNames {
    private var collection = RowCollection.notifications
    private var app: AppID?

    /// Nil when this program does not know the collection, or the app is not a bundle identifier.
    mutating func key(_ result: PostgresResult, _ row: Int) throws(PostgresError) -> RowKey? {
        if try !result.isText(row: row, column: LoadColumn.kind, collection.rawValue) {
            let name = try result.text(row: row, column: LoadColumn.kind)
            guard let known = RowCollection(rawValue: name) else { return nil }
            collection = known
        }
        if try !result.isText(row: row, column: LoadColumn.app, app?.rawValue ?? "") {
            let name = try result.text(row: row, column: LoadColumn.app)
            app = name.isEmpty ? nil : AppID(name)
            guard name.isEmpty || app != nil else { return nil }
        }
        let key =
            result.isNull(row: row, column: LoadColumn.keyBytes)
            ? try result.text(row: row, column: LoadColumn.key)
            : String(decoding: try result.bytes(row: row, column: LoadColumn.keyBytes), as: UTF8.self)
        return RowKey(collection, app: app, key: key)
    }
}
