import FocusCore

/// Rows, both ways. Field numbers are those of `Row` in sync.proto.
extension DeltaRow {
    /// Decodes a row. Nil when this program does not know its collection.
    /// - Parameter previous: the row before it, which is often of the same app.
    static func direct(_ message: UnsafeRawBufferPointer, previous: DeltaRow?) throws(Unusual) -> DeltaRow? {
        var collection: RowCollection?
        var app: AppID?
        var (key, version, isDeleted, value) = ("", Int64(0), false, [UInt8]())
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: collection = try RowCollection.named(reader.delimited())
            case 2 << 3 | 2: app = try AppID(utf8: reader.delimited(), previous: previous?.key.app)
            case 3 << 3 | 2: key = try reader.string()
            case 4 << 3: version = try reader.int()
            case 5 << 3: isDeleted = try reader.bool()
            case 6 << 3 | 2: value = try reader.data()
            default: throw Unusual()
            }
        }
        guard let collection else { return nil }
        return DeltaRow(
            key: RowKey(collection, app: app, key: key), version: Version(version), value: isDeleted ? nil : value)
    }

    var directSize: Int {
        FieldSize.string(key.collection.rawValue) + (key.app.map { FieldSize.present($0.rawValue.utf8.count) } ?? 0)
            + FieldSize.string(key.key) + FieldSize.int(version.rawValue)
            + (value.map { FieldSize.bytes($0.count) } ?? 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.string(1, key.collection.rawValue)
        if let app = key.app { writer.presentString(2, app.rawValue) }
        writer.string(3, key.key)
        writer.int(4, version.rawValue)
        if let value { writer.bytes(6, value) } else { writer.bool(5, true) }
    }
}

extension RowCollection {
    private static let names = allCases.map { (utf8: Array($0.rawValue.utf8), collection: $0) }

    /// The collection of this name; nil when only a later program knows it.
    fileprivate static func named(_ bytes: UnsafeRawBufferPointer) throws(Unusual) -> RowCollection? {
        for name in names where name.utf8.withUnsafeBytes({ FieldReader.equal(bytes, $0) }) { return name.collection }
        // A name that is no UTF-8 is malformed, not later.
        _ = try FieldReader.string(bytes)
        return nil
    }
}

extension AppID {
    fileprivate init(utf8 bytes: UnsafeRawBufferPointer, previous: AppID?) throws(Unusual) {
        if let previous, FieldReader.equal(bytes, previous.rawValue) {
            self = previous
            return
        }
        guard let app = AppID(try FieldReader.string(bytes)) else { throw Unusual() }
        self = app
    }
}

extension Cursor {
    init(direct message: UnsafeRawBufferPointer) throws(Unusual) {
        var (log, version, event, view) = (LogID?.none, Int64(0), EventID?.none, UInt64(0))
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: log = LogID(try reader.uuid())
            case 2 << 3: version = try reader.int()
            case 3 << 3 | 2: event = EventID(try reader.uuid())
            case 4 << 3 | 1: view = try reader.fixed64()
            default: throw Unusual()
            }
        }
        guard let log, let event else { throw Unusual() }
        self.init(log: log, version: Version(version), event: event, view: view)
    }

    var directSize: Int { FieldSize.uuid + FieldSize.int(version.rawValue) + FieldSize.uuid + FieldSize.fixed64(view) }

    func write(to writer: inout FieldWriter) {
        writer.uuid(1, log.uuid)
        writer.int(2, version.rawValue)
        writer.uuid(3, event.uuid)
        writer.fixed64(4, view)
    }
}
