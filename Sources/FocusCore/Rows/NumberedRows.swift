/// Rows by key and by number. A row keeps its number for as long as it, or its trace, is there, so whatever lists rows
/// lists numbers: nothing is hashed, and no key is copied.
struct NumberedRows: Sendable {
    /// The entries by number, those of free numbers included.
    var entries: [RowStore.Entry] = []
    /// Numbers that a new row may get.
    private var free: [Int] = []
    private var index = RowIndex()

    /// Rows and traces of rows.
    var count: Int { entries.count - free.count }

    /// The entries that are not free, in no order.
    var inUse: some Sequence<RowStore.Entry> { entries.lazy.filter { !$0.isFree } }

    func number(of key: RowKey) -> Int? { index.number(key.textHash) { entries[$0].key == key } }

    /// Gives a number to a row whose key is not here.
    mutating func insert(_ entry: RowStore.Entry) -> Int {
        let number = free.popLast() ?? entries.count
        index.insert(entry.key.textHash, number)
        guard number < entries.count else {
            entries.append(entry)
            return number
        }
        // The number may still await the hash of its previous row.
        let awaitsHash = entries[number].awaitsHash
        entries[number] = entry
        entries[number].awaitsHash = awaitsHash
        return number
    }

    /// Removes a row for good and frees its number. Lists may still name the number, with versions that no later row of
    /// that number has.
    mutating func remove(_ number: Int) {
        index.remove(entries[number].key.textHash, number)
        entries[number].version = RowStore.Entry.freeVersion
        entries[number].isDeleted = true
        entries[number].value = []
        free.append(number)
    }

    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        index.reserveCapacity(count)
    }
}
