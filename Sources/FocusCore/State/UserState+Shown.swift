/// What devices may see, without what the fold remembers beside it.
extension UserState {
    /// The rows that devices may see, sorted by key.
    public var shownRows: [(key: RowKey, version: Version, value: [UInt8])] {
        let entries = shared.store.rows.entries
        let numbers = entries.indices.filter {
            !entries[$0].isFree && !entries[$0].isDeleted && entries[$0].key.collection.isPublic
        }
        return KeyOrder(count: numbers.count) { entries[numbers[$0]].key }.indices.map { place in
            let number = numbers[place]
            return (entries[number].key, entries[number].version, entries[number].value)
        }
    }

    /// What devices may see of a public row; nil when there is no such row.
    public func value(of key: RowKey) -> [UInt8]? {
        guard let entry = shared.store[key], !entry.isDeleted else { return nil }
        return entry.value
    }
}
