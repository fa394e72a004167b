/// A user's rows, without their memos: what deltas, snapshots and digests are made of.
///
/// Flow: `put`/`remove` → entry, place in the order of change, digest sums (hashes are made when asked for).
struct RowStore: Sendable {
    var rows = NumberedRows()
    /// Nil: nobody asks which rows change.
    var journal: RowJournal?
    private(set) var order = ChangeOrder()
    private(set) var approximateBytes = 0
    /// The version of the newest tombstone dropped: a device behind it needs a snapshot (rule S5).
    var horizon = Version.zero
    /// Tombstones of rows that no app sees. Each stream has its own, so that no app's removals push out another's.
    private var tombstones = TombstoneQueue()
    /// The streams of apps (rule Z1), in the order in which they were first heard of.
    var streams: [AppStream] = []
    /// Where each app's stream is in `streams`.
    var streamSlots: [AppID: Int] = [:]
    /// The slot that was looked up last: rows of one app come one after the other.
    var lastStreamSlot = 0
    /// The slots of the streams that the event under way has moved, each once.
    var movedStreams: [Int] = []
    /// The slots of streams with too many tombstones; nil stands for `tombstones`.
    private var overfull: [Int?] = []
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
            let number = insert(Entry(key: key, version: version, appearedAt: version, value: value))
            awaitHash(number)
            approximateBytes += Self.overheadPerRow + value.count + 2 * key.key.utf8.count
            recordChange(number, from: nil, at: version)
            return true
        }
        guard rows.entries[number].isDeleted || rows.entries[number].value != value else { return false }
        let previous = rows.entries[number].version
        if rows.entries[number].isDeleted { forgetTombstone(number) }
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
        recordChange(number, from: previous, at: version)
        addTombstone(number)
        return true
    }

    /// Creates the trace of a removal at `version`, or moves an existing trace to it. A row that is there stays as it
    /// is.
    mutating func putTombstone(_ key: RowKey, at version: Version) {
        guard let number = rows.number(of: key) else {
            let number = insert(Entry(key: key, version: version, appearedAt: version, isDeleted: true))
            approximateBytes += Self.overheadPerRow + 2 * key.key.utf8.count
            recordChange(number, from: nil, at: version)
            return addTombstone(number)
        }
        guard rows.entries[number].isDeleted, rows.entries[number].version != version else { return }
        let previous = rows.entries[number].version
        rows.entries[number].version = version
        forgetTombstone(number)
        recordChange(number, from: previous, at: version)
        addTombstone(number)
    }

    /// Reserves capacity for `count` rows before they are loaded.
    mutating func reserveCapacity(_ count: Int) {
        rows.reserveCapacity(count)
        order.reserveCapacity(count)
        unhashed.reserveCapacity(count)
    }

    /// Loads a row of the read model. Rows must come ordered by (version, key); after the last one, `endLoading` is
    /// called. Returns false when the key is here already, or the row's place is past its stream's end.
    /// - Parameter place: see `Entry.place`.
    mutating func load(_ key: RowKey, _ row: Row, place: Version) -> Bool {
        guard rows.number(of: key) == nil else { return false }
        let number = insert(
            Entry(key: key, version: row.version, appearedAt: .zero, isDeleted: row.isDeleted, value: row.value))
        approximateBytes += Self.overheadPerRow + row.value.count + 2 * key.key.utf8.count
        order.append(number, at: row.version)
        if let slot = rows.entries[number].stream {
            guard place >= .zero, place <= streams[slot].count else { return false }
            rows.entries[number].place = place
            streams[slot].order.append(number, at: place)
        }
        if row.isDeleted {
            addTombstone(number)
        } else {
            awaitHash(number)
        }
        return true
    }

    /// A row whose version is not what it was, which only damage does, came out of its stream's order.
    mutating func endLoading() {
        for slot in streams.indices { streams[slot].order.sort(rows.entries) }
    }

    private mutating func insert(_ entry: Entry) -> Int {
        var entry = entry
        entry.stream = streamSlot(entry.key)
        if let slot = entry.stream { streams[slot].rowCount += 1 }
        return rows.insert(entry)
    }

    private mutating func recordChange(_ number: Int, from previous: Version?, at version: Version) {
        journal?.record(number, isDeleted: rows.entries[number].isDeleted, at: version)
        guard previous != version else { return }
        order.append(number, at: version)
        moveStream(number, at: version)
        if order.count > 2 * count + 1_024 { order.compact { rows.entries[$0.number].version == $0.version } }
    }

    /// Ends the event at `version`: it changes no more rows.
    mutating func endVersion(_ version: Version) {
        order.endVersion(version, rows.entries)
        endStreams()
    }

    // MARK: Tombstones

    /// How many rows are tombstones.
    var tombstoneCount: Int { streams.reduce(tombstones.count) { $0 + $1.tombstones.count } }

    /// Records that the row is a tombstone now, at the version at which it changed.
    private mutating func addTombstone(_ number: Int) {
        guard let slot = rows.entries[number].stream else {
            tombstones.append(number, at: rows.entries[number].version)
            tombstones.compact { rows.entries[$0.number].isTombstone(nil, at: $0.version) }
            if tombstones.isOverfull, !overfull.contains(nil) { overfull.append(nil) }
            return
        }
        streams[slot].tombstones.append(number, at: rows.entries[number].place)
        streams[slot].tombstones.compact { rows.entries[$0.number].isTombstone(slot, at: $0.version) }
        if streams[slot].tombstones.isOverfull, !overfull.contains(slot) { overfull.append(slot) }
    }

    private mutating func forgetTombstone(_ number: Int) {
        if let slot = rows.entries[number].stream {
            streams[slot].tombstones.count -= 1
        } else {
            tombstones.count -= 1
        }
    }

    /// Drops the oldest tombstones beyond the bounds and returns their keys. Called at the end of an event: later rows,
    /// which may get the numbers, have later versions than anything that still names the numbers.
    mutating func trimTombstones() -> [RowKey] {
        guard !overfull.isEmpty else { return [] }
        var dropped: [RowKey] = []
        for slot in overfull {
            var last: Version?
            while let oldest = nextTombstone(slot, after: last) {
                let entry = rows.entries[oldest.number]
                guard entry.isTombstone(slot, at: oldest.version) else { continue }
                last = oldest.version
                drop(oldest.number, entry, in: slot)
                dropped.append(entry.key)
            }
        }
        overfull.removeAll()
        return dropped
    }

    private mutating func nextTombstone(_ slot: Int?, after last: Version?) -> OrderedChange? {
        if let slot { streams[slot].tombstones.next(after: last) } else { tombstones.next(after: last) }
    }

    private mutating func drop(_ number: Int, _ entry: Entry, in slot: Int?) {
        rows.remove(number)
        journal?.release(number, of: entry.key)
        approximateBytes -= Self.overheadPerRow + 2 * entry.key.key.utf8.count
        horizon = max(horizon, entry.version)
        guard let slot else {
            tombstones.count -= 1
            return
        }
        streams[slot].tombstones.count -= 1
        streams[slot].rowCount -= 1
        streams[slot].horizon = entry.place
    }
}

extension RowStore.Entry {
    /// Whether the row is a tombstone of the stream, since this version of it; nil: of rows that no app sees, since
    /// this version of the user.
    fileprivate func isTombstone(_ slot: Int?, at version: Version) -> Bool {
        isDeleted && stream == slot && isCurrent(slot, at: version)
    }

    /// Whether the row changed last at this version of a stream; nil: of the user.
    @inline(__always) func isCurrent(_ slot: Int?, at version: Version) -> Bool {
        guard let slot else { return self.version == version }
        return !isFree && stream == slot && place == version
    }
}
