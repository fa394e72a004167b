import FocusCore

import struct Foundation.Data

extension DeltaRow {
    /// Nil when this program does not know the collection. Throws when the app is not a bundle identifier.
    init?(_ message: Focus_Sync_V1_Row) throws(FrameError) {
        guard let collection = RowCollection(rawValue: message.collection) else { return nil }
        var app: AppID?
        if message.hasApp {
            guard let name = AppID(message.app) else { throw .malformed("row.app is no bundle identifier.") }
            app = name
        }
        self.init(
            key: RowKey(collection, app: app, key: message.key), version: Version(message.version),
            value: message.deleted ? nil : Array(message.value))
    }

    var message: Focus_Sync_V1_Row {
        var message = Focus_Sync_V1_Row()
        message.collection = key.collection.rawValue
        if let app = key.app { message.app = app.rawValue }
        message.key = key.key
        message.version = version.rawValue
        if let value { message.value = Data(value) } else { message.deleted = true }
        return message
    }

    static func rows(_ messages: [Focus_Sync_V1_Row]) throws(FrameError) -> [DeltaRow] {
        var rows: [DeltaRow] = []
        rows.reserveCapacity(messages.count)
        for message in messages {
            if let row = try DeltaRow(message) { rows.append(row) }
        }
        return rows
    }
}
