import FocusCore
import Foundation
import GRDB

/// A row of table `confirmed`: one of the user's rows, as the server has confirmed it.
struct RowRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "confirmed"

    enum Columns {
        static let collection = Column(CodingKeys.collection)
        static let app = Column(CodingKeys.app)
        static let key = Column(CodingKeys.key)
    }

    var collection: String
    /// The app's bundle identifier; empty for rows that belong to no app.
    var app: String
    /// The key's UTF-8 bytes: SQLite compares them as bytes, and keeps all of them, whatever they are.
    var key: Data
    var version: Int64
    var value: Data
    /// The row's hash, 16 bytes (rule S9).
    var hash: Data

    init(_ key: RowKey, version: Version, value: [UInt8]) {
        collection = key.collection.rawValue
        app = key.app?.rawValue ?? ""
        self.key = Data(key.key.utf8)
        self.version = version.rawValue
        self.value = Data(value)
        hash = Data(Digest(sum: RowHash(key, value: value).value).bytes)
    }

    func confirmed() throws(DeviceStoreError) -> ConfirmedRow {
        ConfirmedRow(key: try rowKey(), version: Version(version), value: Array(value))
    }

    func rowKey() throws(DeviceStoreError) -> RowKey {
        try RowKey(collection: collection, app: app, key: key)
    }
}

extension RowKey {
    init(collection: String, app: String, key: Data) throws(DeviceStoreError) {
        guard let collection = RowCollection(rawValue: collection), let text = String(validating: key, as: UTF8.self),
            app.isEmpty || AppID(app) != nil
        else { throw .damaged("a row of \(collection) has no proper key") }
        self.init(collection, app: AppID(app), key: text)
    }
}

extension QueryInterfaceRequest {
    /// The row with this key, in tables that have `collection`, `app` and `key`.
    func row(_ key: RowKey) -> Self {
        filter(
            RowRecord.Columns.collection == key.collection.rawValue
                && RowRecord.Columns.app == (key.app?.rawValue ?? "") && RowRecord.Columns.key == Data(key.key.utf8))
    }
}
