import FocusCore

/// The messages that a server sends by the thousand, both ways: rows and acknowledgements. Field numbers are those of
/// `ServerFrame`, `Rows`, `Delta` and `Appended` in sync.proto.
extension ServerMessage {
    private static let appendedField: UInt8 = 2
    private static let snapshotRowsField: UInt8 = 4
    private static let deltaRowsField: UInt8 = 7
    private static let deltaField: UInt8 = 9

    /// Decodes a frame. Nil for other kinds of messages, and when it is not in plain form.
    static func direct(frame: UnsafeRawBufferPointer) -> ServerMessage? {
        do throws(Unusual) {
            var reader = FieldReader(frame)
            let tag = try reader.tag()
            guard tag & 7 == 2 else { return nil }
            let message = try reader.delimited()
            guard reader.isAtEnd else { return nil }
            switch tag >> 3 {
            case appendedField: return .appended(try Appended(direct: message))
            case snapshotRowsField: return .snapshotRows(try rows(message))
            case deltaRowsField: return .deltaRows(try rows(message))
            case deltaField: return try delta(message)
            default: return nil
            }
        } catch {
            return nil
        }
    }

    private static func rows(_ message: UnsafeRawBufferPointer) throws(Unusual) -> [DeltaRow] {
        var rows: [DeltaRow] = []
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            guard try reader.tag() == 1 << 3 | 2 else { throw Unusual() }
            if let row = try DeltaRow.direct(reader.delimited(), previous: rows.last) { rows.append(row) }
        }
        return rows
    }

    private static func delta(_ message: UnsafeRawBufferPointer) throws(Unusual) -> ServerMessage {
        var (from, rows, cursor) = (Version.zero, [DeltaRow](), Cursor?.none)
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: from = Version(try reader.int())
            case 2 << 3 | 2:
                if let row = try DeltaRow.direct(reader.delimited(), previous: rows.last) { rows.append(row) }
            case 3 << 3 | 2:
                // A second cursor would have to be merged with the first.
                guard cursor == nil else { throw Unusual() }
                cursor = try Cursor(direct: reader.delimited())
            default: throw Unusual()
            }
        }
        guard let cursor else { throw Unusual() }
        return .delta(from: from, rows: rows, cursor: cursor)
    }

    /// The frame; nil for a message that is sent rarely and left to the generated code.
    var directFrame: [UInt8]? {
        switch self {
        case .appended(let appended): appended.directFrame(Self.appendedField)
        case .snapshotRows(let rows): Self.frame(rows, Self.snapshotRowsField)
        case .deltaRows(let rows): Self.frame(rows, Self.deltaRowsField)
        case .delta(let from, let rows, let cursor): Self.deltaFrame(from, rows, cursor)
        case .welcome, .recalled, .snapshotBegin, .snapshotEnd, .deltaBegin, .deltaEnd, .checkpoint, .ping, .pong,
            .error, .goAway, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            nil
        }
    }

    private static func size(_ sizes: [Int]) -> Int { sizes.reduce(0) { $0 + FieldSize.present($1) } }

    private static func write(_ rows: [DeltaRow], _ sizes: [Int], field: UInt8, to writer: inout FieldWriter) {
        for (row, size) in zip(rows, sizes) {
            writer.open(field, size: size)
            row.write(to: &writer)
        }
    }

    private static func frame(_ rows: [DeltaRow], _ field: UInt8) -> [UInt8] {
        let sizes = rows.map(\.directSize)
        let size = size(sizes)
        return FieldWriter.frame(size: FieldSize.present(size)) { writer in
            writer.open(field, size: size)
            write(rows, sizes, field: 1, to: &writer)
        }
    }

    private static func deltaFrame(_ from: Version, _ rows: [DeltaRow], _ cursor: Cursor) -> [UInt8] {
        let sizes = rows.map(\.directSize)
        let size = FieldSize.int(from.rawValue) + size(sizes) + FieldSize.present(cursor.directSize)
        return FieldWriter.frame(size: FieldSize.present(size)) { writer in
            writer.open(deltaField, size: size)
            writer.int(1, from.rawValue)
            write(rows, sizes, field: 2, to: &writer)
            writer.open(3, size: cursor.directSize)
            cursor.write(to: &writer)
        }
    }
}

extension Appended {
    /// Throws `Unusual` when there are refusals or an incarnation, which are rare.
    fileprivate init(direct message: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(throughSequence: .zero, version: .zero, refused: [])
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: throughSequence = DeviceSequence(try reader.int())
            case 2 << 3: version = Version(try reader.int())
            case 4 << 3 | 2: receipts.append(try Receipt(direct: reader.delimited()))
            default: throw Unusual()
            }
        }
    }

    /// Nil when there are refusals or an incarnation, which are rare.
    fileprivate func directFrame(_ field: UInt8) -> [UInt8]? {
        guard refused.isEmpty, incarnation == nil else { return nil }
        let size =
            FieldSize.int(throughSequence.rawValue) + FieldSize.int(version.rawValue)
            + receipts.reduce(0) { $0 + FieldSize.present($1.directSize) }
        return FieldWriter.frame(size: FieldSize.present(size)) { writer in
            writer.open(field, size: size)
            writer.int(1, throughSequence.rawValue)
            writer.int(2, version.rawValue)
            for receipt in receipts {
                writer.open(4, size: receipt.directSize)
                receipt.write(to: &writer)
            }
        }
    }
}
