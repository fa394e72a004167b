import FocusCore

/// Appends, both ways. Field numbers are those of `ClientFrame`, `Append` and `Envelope` in sync.proto.
extension AppendRequest {
    private static let frameField: UInt8 = 2

    /// Decodes a frame. Nil when it is not an append, or not in plain form.
    static func direct(frame: UnsafeRawBufferPointer) -> AppendRequest? {
        do throws(Unusual) {
            var reader = FieldReader(frame)
            guard try reader.tag() == frameField << 3 | 2 else { return nil }
            let message = try reader.delimited()
            guard reader.isAtEnd else { return nil }
            return try AppendRequest(direct: message)
        } catch {
            return nil
        }
    }

    private init(direct message: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(firstSequence: .zero, envelopes: [])
        var recent = RecentNames()
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: firstSequence = DeviceSequence(try reader.int())
            case 2 << 3 | 2:
                envelopes.append(try Envelope(direct: reader.delimited(), &recent))
            default: throw Unusual()
            }
        }
    }

    var directFrame: [UInt8] {
        let size = FieldSize.int(firstSequence.rawValue) + envelopes.reduce(0) { $0 + FieldSize.present($1.directSize) }
        return FieldWriter.frame(size: FieldSize.present(size)) { writer in
            writer.open(Self.frameField, size: size)
            writer.int(1, firstSequence.rawValue)
            for envelope in envelopes {
                writer.open(2, size: envelope.directSize)
                envelope.write(to: &writer)
            }
        }
    }
}

/// The latest type and app of a batch: the next event often has the same, and then shares them.
private struct RecentNames {
    var type = ""
    var app = ""
}

extension Envelope {
    fileprivate init(direct message: UnsafeRawBufferPointer, _ recent: inout RecentNames) throws(Unusual) {
        var id: EventID?
        var (type, app, time, schema, payload) = ("", String?.none, Int64(0), Int32(0), [UInt8]())
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3 | 2: id = EventID(try reader.uuid())
            case 2 << 3 | 2:
                recent.type = try reader.string(like: recent.type)
                type = recent.type
            case 3 << 3 | 2:
                recent.app = try reader.string(like: recent.app)
                app = recent.app
            case 4 << 3: time = try reader.int()
            case 5 << 3: schema = Int32(truncatingIfNeeded: try reader.int())
            case 6 << 3 | 2: payload = try reader.data()
            default: throw Unusual()
            }
        }
        guard let id else { throw Unusual() }
        self.init(
            id: id, type: type, app: app, occurredAt: Timestamp(microseconds: time), schemaVersion: schema,
            payload: payload)
    }

    fileprivate var directSize: Int {
        FieldSize.uuid + FieldSize.string(type) + (app.map { FieldSize.present($0.utf8.count) } ?? 0)
            + FieldSize.int(occurredAt.microseconds) + FieldSize.int(Int64(schemaVersion))
            + FieldSize.bytes(payload.count)
    }

    fileprivate func write(to writer: inout FieldWriter) {
        writer.uuid(1, id.uuid)
        writer.string(2, type)
        if let app { writer.presentString(3, app) }
        writer.int(4, occurredAt.microseconds)
        writer.int(5, Int64(schemaVersion))
        writer.bytes(6, payload)
    }
}
