extension PreferenceTable {
    /// The memo of the key's row in `preferences`; empty for a key that was never set nor reset.
    func memo(of key: ByteText) -> [UInt8] {
        guard let write = writes[key] else { return [] }
        var writer = ProtoWriter()
        writer.stamp(1, write.stamp)
        writer.bool(2, !write.value)
        return writer.bytes
    }

    /// Loads a row of `preferences`. The internal row of the defaults must have been read before.
    mutating func load(_ key: ByteText, _ row: Row) throws(ProtoError) {
        if !row.isDeleted { _ = try PreferenceRow(decoding: row.value) }
        var reader = ProtoReader(row.memo)
        var (stamp, isReset): (Stamp?, Bool) = (nil, false)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: isReset = try value.bool()
            default: break
            }
        }
        guard stamp != nil || row.memo.isEmpty else { throw .unexpected }
        let isSet = stamp != nil && !isReset
        // A set value is the row's; whatever is not set shows its default, or nothing.
        let expected = isSet ? row.value : defaults?.rows[key]
        guard row.isDeleted ? !isSet && expected == nil : row.value == expected else { throw .unexpected }
        if let stamp { _ = write(key, isSet: isSet, stamp) }
    }
}

extension PreferenceDefaults {
    /// The memo of the internal row in `preference_defaults`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, stamp)
        writer.int(2, build)
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            writer.message(3) { entry in
                entry.string(1, key.text)
                entry.data(2, row)
            }
        }
        return writer.bytes
    }

    init(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var stamp: Stamp?
        var build: Int64 = 0
        var rows: [ByteText: [UInt8]] = [:]
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: build = try value.int()
            case 3:
                let (key, row) = try Self.entry(try value.bytes())
                rows[key] = row
            default: break
            }
        }
        guard let stamp else { throw .malformed }
        self.init(build: build, stamp: stamp, rows: rows)
    }

    private static func entry(_ bytes: ArraySlice<UInt8>) throws(ProtoError) -> (ByteText, [UInt8]) {
        var reader = ProtoReader(bytes)
        var (key, row): (String, [UInt8]) = ("", [])
        while let (field, value) = try reader.next() {
            switch field {
            case 1: key = try value.string()
            case 2: row = Array(try value.bytes())
            default: break
            }
        }
        _ = try PreferenceRow(decoding: row)
        return (ByteText(key), row)
    }
}
