import FocusCore

import struct Foundation.Data

/// What several messages share: ids, collections, cursors.
extension UUIDIdentifier {
    init(wire bytes: Data, field: String) throws(FrameError) {
        guard let id = Self(bytes: bytes) else { throw .malformed("\(field) is not 16 bytes.") }
        self = id
    }

    var wire: Data { Data(bytes) }
}

extension RowCollection {
    /// The collections of these names. A name that this program does not know stands for a collection without rows, and
    /// is left out. If all are unknown, the result is an internal collection, which no view shows: no collection at all
    /// would mean every one.
    static func named(_ names: [String]) -> [RowCollection] {
        let known = names.compactMap { RowCollection(rawValue: $0) }
        return known.isEmpty && !names.isEmpty ? [.stream] : known
    }
}

extension Cursor {
    init(_ message: Focus_Sync_V1_Cursor) throws(FrameError) {
        self.init(
            log: try LogID(wire: message.log, field: "cursor.log"), version: Version(message.version),
            event: try EventID(wire: message.event, field: "cursor.event"), view: message.view)
    }

    var message: Focus_Sync_V1_Cursor {
        var message = Focus_Sync_V1_Cursor()
        message.log = log.wire
        message.version = version.rawValue
        message.event = event.wire
        message.view = view
        return message
    }
}

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
