import FocusCore

/// The proto3 JSON of the payloads that make up nearly all of a log, from their bytes in one pass: no message is made
/// and none is visited. It is what the generated code writes, byte by byte; tests compare.
///
/// A payload in plain form has its fields in ascending order, each but repeated ones once, and leaves out defaults, as
/// every serializer writes them. Any other is `Unusual` and left to the generated code, and so are the rarer types.
struct JSONTranscoder {
    /// Appends the payload as JSON; false, and nothing, when it is of another type or not in plain form.
    static func append(_ type: EventType, _ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
        guard let fields = fields(of: type) else { return false }
        let start = output.count
        do throws(Unusual) {
            try object(fields, payload, to: &output)
            return true
        } catch {
            output.removeSubrange(start...)
            return false
        }
    }

    private static func object(
        _ fields: [Field], _ message: UnsafeRawBufferPointer, to output: inout [UInt8]
    ) throws(Unusual) {
        output.append(UInt8(ascii: "{"))
        var reader = FieldReader(message)
        var next = 0
        var isFirst = true
        while !reader.isAtEnd {
            let tag = try reader.tag()
            while next < fields.count, fields[next].tag != tag { next += 1 }
            guard next < fields.count else { throw Unusual() }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            fields[next].name.withUTF8Buffer { output.append(contentsOf: $0) }
            try value(fields[next], &reader, to: &output)
            next += 1
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func value(
        _ field: Field, _ reader: inout FieldReader, to output: inout [UInt8]
    ) throws(Unusual) {
        switch field.kind {
        case .string(let isOptional):
            let text = try reader.delimited()
            guard isOptional || !text.isEmpty else { throw Unusual() }
            try JSONStringBytes.append(text, to: &output)
        case .strings:
            try elements(field, &reader, to: &output) { text, output throws(Unusual) in
                try JSONStringBytes.append(text, to: &output)
            }
        case .messages(let fields):
            try elements(field, &reader, to: &output) { message, output throws(Unusual) in
                try object(fields, message, to: &output)
            }
        case .names(let names):
            guard let number = Int(exactly: try reader.varint()), names.indices.contains(number - 1) else {
                throw Unusual()
            }
            names[number - 1].withUTF8Buffer { output.append(contentsOf: $0) }
        case .bool:
            guard try reader.bool() else { throw Unusual() }
            output.append(contentsOf: "true".utf8)
        case .double(let isOptional):
            let number = try reader.double()
            guard isOptional || number.bitPattern != 0, number.isFinite else { throw Unusual() }
            output.append(contentsOf: number.debugDescription.utf8)
        case .int64(let isOptional):
            let number = try reader.int()
            guard isOptional || number != 0 else { throw Unusual() }
            output.append(UInt8(ascii: "\""))
            output.append(contentsOf: String(number).utf8)
            output.append(UInt8(ascii: "\""))
        }
    }

    /// The array of a repeated field whose first tag was read.
    private static func elements(
        _ field: Field, _ reader: inout FieldReader, to output: inout [UInt8],
        _ append: (UnsafeRawBufferPointer, inout [UInt8]) throws(Unusual) -> Void
    ) throws(Unusual) {
        output.append(UInt8(ascii: "["))
        try append(reader.delimited(), &output)
        while reader.skip(field.tag) {
            output.append(UInt8(ascii: ","))
            try append(reader.delimited(), &output)
        }
        output.append(UInt8(ascii: "]"))
    }
}
