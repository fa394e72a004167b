extension PropertyValue {
    /// Bytes nested deeper than this are no value. The bound is more than any event brings: a fold never validates, and
    /// what it wrote must load again.
    static let decodingDepth = 100

    /// The canonical protobuf bytes: `PropertyValue` of `Schema/proto/focus/events/v1/preferences.proto`.
    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout ProtoWriter) {
        switch self {
        case .bool(let value): writer.presentVarint(1, value ? 1 : 0)
        case .integer(let value): writer.presentVarint(2, UInt64(bitPattern: value << 1 ^ value >> 63))
        case .real(let value): writer.presentFixed64(3, Self.canonicalBits(of: value))
        case .string(let value): writer.presentString(4, value)
        case .date(let value): writer.presentInt(5, value.microseconds)
        case .data(let value): writer.presentData(6, value)
        case .array(let values):
            writer.message(7) { array in
                for value in values { array.message(1) { value.write(to: &$0) } }
            }
        case .dictionary(let dictionary):
            writer.message(8) { inner in
                for entry in dictionary.entries { inner.message(1) { entry.write(to: &$0) } }
            }
        }
    }

    /// One bit pattern for all NaNs, and one for both zeros: what compares equal, or is no number, is one value.
    static func canonicalBits(of value: Double) -> UInt64 {
        if value.isNaN { return Double.nan.bitPattern }
        return value == 0 ? 0 : value.bitPattern
    }

    /// Throws when the bytes are no value, or one that this program does not know.
    public init(decoding bytes: [UInt8]) throws(ProtoError) { try self.init(bytes[...], depth: Self.decodingDepth) }

    fileprivate init(_ bytes: ArraySlice<UInt8>, depth: Int) throws(ProtoError) {
        guard depth > 0 else { throw .malformed }
        var reader = ProtoReader(bytes)
        var result: PropertyValue?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: result = .bool(try value.bool())
            case 2: result = .integer(try value.sint())
            case 3: result = .real(try value.double())
            case 4: result = .string(try value.string())
            case 5: result = .date(try value.timestamp())
            case 6: result = .data(Array(try value.bytes()))
            case 7: result = .array(try Self.elements(try value.bytes(), depth: depth - 1))
            case 8: result = .dictionary(try PropertyDictionary(try value.bytes(), depth: depth - 1))
            default: break
            }
        }
        guard let result else { throw .malformed }
        self = result
    }

    private static func elements(_ bytes: ArraySlice<UInt8>, depth: Int) throws(ProtoError) -> [PropertyValue] {
        var reader = ProtoReader(bytes)
        var values: [PropertyValue] = []
        while let (field, value) = try reader.next() {
            if field == 1 { values.append(try PropertyValue(try value.bytes(), depth: depth)) }
        }
        return values
    }
}

extension PropertyDictionary {
    fileprivate init(_ bytes: ArraySlice<UInt8>, depth: Int) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var entries: [Entry] = []
        while let (field, value) = try reader.next() {
            if field == 1 { entries.append(try Entry(try value.bytes(), depth: depth)) }
        }
        guard let dictionary = PropertyDictionary(entries) else { throw .unexpected }
        self = dictionary
    }
}

extension PropertyDictionary.Entry {
    fileprivate func write(to writer: inout ProtoWriter) {
        writer.string(1, key)
        writer.presentData(2, value.encoded)
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>, depth: Int) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (key, inner): (String, PropertyValue?) = ("", nil)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: key = try value.string()
            case 2: inner = try PropertyValue(try value.bytes(), depth: depth)
            default: break
            }
        }
        guard let inner else { throw .malformed }
        self.init(key, inner)
    }
}
