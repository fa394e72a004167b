/// A user's rows, without their memos: what deltas, snapshots and digests are made of.
///
/// Flow: `put`/`remove` → entry, place in the order of change, digest sums (hashes are made when asked for).
struct RowStore: Sendable {
    struct Entry: Sendable {
        let key: RowKey
        var version: Version
        /// The version of the event that made the row; zero for a row that came from the read model.
        var appearedAt: Version
        var isDeleted = false
        var value: [UInt8] = []
        /// Nil for tombstones, and until a digest is asked for.
        var hash: RowHash?
        /// True while its number is in `unhashed`.
        var awaitsHash = false

        /// A version that no row has.
        static let freeVersion = Version(-1)
        /// True when there is no row of that number now.
        var isFree: Bool { version == Self.freeVersion }
    }

    var rows = NumberedRows()
    private(set) var order = ChangeOrder()
    private(set) var approximateBytes = 0
    /// The version of the newest tombstone dropped: a device behind it needs a snapshot (rule S5).
    var horizon = Version.zero
    var tombstones = TombstoneQueue()
    /// The numbers of rows whose hash must be made before the next digest, each once.
    var unhashed: [Int] = []
    var sums = DigestSums()
    /// The apps whose rows also have a hidden form (rule N13); when an app's entry changes, its rows must be touched.
    var hiddenPreviews = HiddenPreviews()

    /// The bytes that an entry costs beside its content; an estimate for the cache's bound.
    private static let overheadPerRow = 300

    /// Rows, and traces of removed ones.
    var count: Int { rows.count }

    /// The row of a key, or its trace.
    subscript(key: RowKey) -> Entry? { rows.number(of: key).map { rows.entries[$0] } }

    /// Returns whether the row changed: an equal value moves nothing (rule E3).
    mutating func put(_ key: RowKey, _ value: [UInt8], at version: Version) -> Bool {
        guard let number = rows.number(of: key) else {
            let number = rows.insert(Entry(key: key, version: version, appearedAt: version, value: value))
            awaitHash(number)
            approximateBytes += Self.overheadPerRow + value.count + 2 * key.key.utf8.count
            recordChange(number, from: nil, at: version)
            return true
        }
        guard rows.entries[number].isDeleted || rows.entries[number].value != value else { return false }
        let previous = rows.entries[number].version
        if rows.entries[number].isDeleted { tombstones.count -= 1 }
        approximateBytes += value.count - rows.entries[number].value.count
        forgetHash(number)
        rows.entries[number].isDeleted = false
        rows.entries[number].value = value
        rows.entries[number].version = version
        awaitHash(number)
        recordChange(number, from: previous, at: version)
        return true
    }

    /// Marks a row as changed although its value stays, so that it is sent again: the form in which views show it
    /// changed (rule N13). Returns whether there is a row.
    mutating func resend(_ key: RowKey, at version: Version) -> Bool {
        guard let number = rows.number(of: key), !rows.entries[number].isDeleted else { return false }
        let previous = rows.entries[number].version
        forgetHash(number)
        rows.entries[number].version = version
        awaitHash(number)
        recordChange(number, from: previous, at: version)
        return true
    }

    /// Replaces a row with a tombstone. Returns whether there was a row.
    mutating func remove(_ key: RowKey, at version: Version) -> Bool {
        guard let number = rows.number(of: key), !rows.entries[number].isDeleted else { return false }
        let previous = rows.entries[number].version
        forgetHash(number)
        approximateBytes -= rows.entries[number].value.count
        rows.entries[number].isDeleted = true
        rows.entries[number].value = []
        rows.entries[number].version = version
        tombstones.append(number, at: version)
        recordChange(number, from: previous, at: version)
        return true
    }

    /// Creates the trace of a removal at `version`, or moves an existing trace to it. A row that is there stays as it
    /// is.
    mutating func putTombstone(_ key: RowKey, at version: Version) {
        guard let number = rows.number(of: key) else {
            let number = rows.insert(Entry(key: key, version: version, appearedAt: version, isDeleted: true))
            approximateBytes += Self.overheadPerRow + 2 * key.key.utf8.count
            tombstones.append(number, at: version)
            return recordChange(number, from: nil, at: version)
        }
        guard rows.entries[number].isDeleted, rows.entries[number].version != version else { return }
        let previous = rows.entries[number].version
        rows.entries[number].version = version
        tombstones.count -= 1
        tombstones.append(number, at: version)
        recordChange(number, from: previous, at: version)
    }

    /// Drops the oldest tombstones beyond the bound and returns their keys. Called at the end of an event: later rows,
    /// which may get the numbers, have later versions than anything that still names the numbers.
    mutating func trimTombstones() -> [RowKey] {
        var dropped: [RowKey] = []
        while let oldest = tombstones.next(horizon: horizon) {
            let entry = rows.entries[oldest.number]
            guard entry.isDeleted, entry.version == oldest.version else { continue }
            let key = entry.key
            rows.remove(oldest.number)
            approximateBytes -= Self.overheadPerRow + 2 * key.key.utf8.count
            tombstones.count -= 1
            horizon = oldest.version
            dropped.append(key)
        }
        return dropped
    }

    /// Reserves capacity for `count` rows before they are loaded.
    mutating func reserveCapacity(_ count: Int) {
        rows.reserveCapacity(count)
        order.reserveCapacity(count)
        unhashed.reserveCapacity(count)
    }

    /// Loads a row of the read model. Rows must come ordered by (version, key). Returns false when the key is here
    /// already.
    mutating func load(_ key: RowKey, _ row: Row) -> Bool {
        guard rows.number(of: key) == nil else { return false }
        let number = rows.insert(
            Entry(key: key, version: row.version, appearedAt: .zero, isDeleted: row.isDeleted, value: row.value))
        approximateBytes += Self.overheadPerRow + row.value.count + 2 * key.key.utf8.count
        order.append(number, at: row.version)
        if row.isDeleted {
            tombstones.append(number, at: row.version)
        } else {
            awaitHash(number)
        }
        return true
    }

    private mutating func recordChange(_ number: Int, from previous: Version?, at version: Version) {
        if previous != version { order.append(number, at: version) }
        if order.count > 2 * count + 1_024 { order.compact { rows.entries[$0.number].version == $0.version } }
        tombstones.compact { rows.entries[$0.number].isDeleted && rows.entries[$0.number].version == $0.version }
    }
}
