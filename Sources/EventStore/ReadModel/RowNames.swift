import FocusCore
import PostgresClient

/// Reads the keys of stored rows. Rows of a collection come one after the other, and mostly of one app: what the row
/// before had is compared byte by byte, which spares looking it up and making it again.
struct RowNames {
    private var collection = RowCollection.notifications
    private var app: AppID?

    /// Nil when the collection is none that this program knows, or the app is none.
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
