/// A state as bytes, to be kept and folded on from later by a program of the same fold.
///
/// Rows are the state (see `UserState`), so these are its rows: `1` version, then a message `2` for each row.
extension UserState {
    /// Equal states have equal bytes.
    public var snapshot: [UInt8] {
        var writer = ProtoWriter(capacity: approximateBytes)
        writer.int(1, version.rawValue)
        forEachRow { key, row in
            writer.row(key, row.version, isDeleted: row.isDeleted, value: row.value, memo: row.memo)
        }
        return writer.bytes
    }

    /// A snapshot of the same rows in the order in which they last changed, which is made and read in half the time.
    /// Equal states may have other bytes.
    public var unsortedSnapshot: [UInt8] {
        var writer = ProtoWriter(capacity: approximateBytes)
        writer.int(1, version.rawValue)
        forEachMemoAlone { writer.row($0, $1.version, isDeleted: $1.isDeleted, value: $1.value, memo: $1.memo) }
        // The entries are read where they stand: a copy of one touches a reference count for each of its parts.
        let entries = shared.store.rows.entries
        var memo: [UInt8] = []
        for change in shared.store.order.changes where entries[change.number].version == change.version {
            let number = change.number
            memo.removeAll(keepingCapacity: true)
            appendMemo(ofNumber: number, to: &memo)
            writer.row(
                entries[number].key, entries[number].version, isDeleted: entries[number].isDeleted,
                value: entries[number].value, memo: memo)
        }
        return writer.bytes
    }

    /// Throws `FoldError` when the bytes are no snapshot of this fold.
    public init(user: UserID, snapshot: [UInt8]) throws(FoldError) {
        var (version, rows) = (Version.zero, [(key: RowKey, row: Row)]())
        do throws(ProtoError) {
            var reader = ProtoReader(snapshot)
            while let (field, value) = try reader.next() {
                switch field {
                case 1: version = Version(try value.int())
                case 2: rows.append(try Self.row(of: try value.bytes()))
                default: break
                }
            }
        } catch {
            throw .brokenInvariant("a snapshot does not decode")
        }
        try self.init(user: user, version: version, loading: rows)
    }

    private static func row(of bytes: ArraySlice<UInt8>) throws(ProtoError) -> (key: RowKey, row: Row) {
        var reader = ProtoReader(bytes)
        var (collection, app, key): (RowCollection?, AppID?, String) = (nil, nil, "")
        var row = Row(version: .zero, value: [])
        while let (field, value) = try reader.next() {
            switch field {
            case 1: collection = RowCollection(rawValue: try value.string())
            case 2:
                guard let known = AppID(try value.string()) else { throw .unexpected }
                app = known
            case 3: key = try value.string()
            case 4: row.version = Version(try value.int())
            case 5: row.isDeleted = try value.bool()
            case 6: row.value = Array(try value.bytes())
            case 7: row.memo = Array(try value.bytes())
            default: break
            }
        }
        guard let collection else { throw .unexpected }
        return (RowKey(collection, app: app, key: key), row)
    }
}

extension ProtoWriter {
    fileprivate mutating func row(_ key: RowKey, _ version: Version, isDeleted: Bool, value: [UInt8], memo: [UInt8]) {
        message(2) { inner in
            inner.presentString(1, key.collection.rawValue)
            inner.optionalString(2, key.app?.rawValue)
            inner.presentString(3, key.key)
            inner.int(4, version.rawValue)
            inner.bool(5, isDeleted)
            inner.data(6, value)
            inner.data(7, memo)
        }
    }
}
