/// A user's rows, without their memos: what deltas, snapshots and digests are made of.
///
/// Flow: `put`/`remove` → entry, place in the order of change, digest sums (hashes are made when asked for).
struct RowStore: Sendable {
    struct Entry: Sendable {
        var version: Version
        /// The event that made it; zero for what came from the read model.
        var appearedAt: Version
        var isDeleted: Bool
        var value: [UInt8]
        /// Nil for tombstones, and until a digest is asked for.
        var hash: RowHash?
        /// It stands in `unhashed`.
        var awaitsHash: Bool
    }

    private(set) var entries: [RowKey: Entry] = [:]
    private(set) var order = ChangeOrder()
    private(set) var approximateBytes = 0
    /// The version of the newest tombstone dropped: a device behind it needs a snapshot (rule S5).
    var horizon = Version.zero
    var tombstones = TombstoneQueue()
    var groups: [DigestGroup: DigestSum] = [:]
    var unhashed: [RowKey] = []
    /// Whose rows also have a hidden form (rule N13); when an entry changes, its rows are to be touched.
    var hiddenPreviews = HiddenPreviews()
    /// Of the hidden forms, beside `Entry.hash`: for rows that `hiddenPreviews` names and that have a hash.
    private var hiddenHashes: [RowKey: RowHash] = [:]
    /// The sums of `hiddenHashes`, by app.
    private(set) var hiddenSums: [AppID: DigestSum] = [:]

    /// What an entry costs beside its bytes; an estimate for the cache's bound.
    private static let overheadPerRow = 300

    /// Whether the row changed: an equal value moves nothing (rule E3).
    mutating func put(_ key: RowKey, _ value: [UInt8], at version: Version) -> Bool {
        guard let index = entries.index(forKey: key) else {
            entries[key] = Entry(
                version: version, appearedAt: version, isDeleted: false, value: value, hash: nil, awaitsHash: true)
            unhashed.append(key)
            approximateBytes += Self.overheadPerRow + value.count + 2 * key.key.utf8.count
            noteChange(key, from: nil, at: version)
            return true
        }
        guard entries.values[index].isDeleted || entries.values[index].value != value else { return false }
        let previous = entries.values[index].version
        if entries.values[index].isDeleted { tombstones.count -= 1 }
        approximateBytes += value.count - entries.values[index].value.count
        forgetHash(key, at: index)
        entries.values[index].isDeleted = false
        entries.values[index].value = value
        entries.values[index].version = version
        awaitHash(key, at: index)
        noteChange(key, from: previous, at: version)
        return true
    }

    /// Has a row sent again although its value stays: the form in which views show it changed (rule N13). Whether there
    /// is a row.
    mutating func touch(_ key: RowKey, at version: Version) -> Bool {
        guard let index = entries.index(forKey: key), !entries.values[index].isDeleted else { return false }
        let previous = entries.values[index].version
        forgetHash(key, at: index)
        entries.values[index].version = version
        awaitHash(key, at: index)
        noteChange(key, from: previous, at: version)
        return true
    }

    /// Leaves a tombstone. Whether there was a row.
    mutating func remove(_ key: RowKey, at version: Version) -> Bool {
        guard let index = entries.index(forKey: key), !entries.values[index].isDeleted else { return false }
        let previous = entries.values[index].version
        forgetHash(key, at: index)
        approximateBytes -= entries.values[index].value.count
        entries.values[index].isDeleted = true
        entries.values[index].value = []
        entries.values[index].version = version
        tombstones.append(key, at: version)
        noteChange(key, from: previous, at: version)
        return true
    }

    /// Leaves the trace of a removal at `version`, whether or not there is one already. Not for a row that is there.
    mutating func leaveTombstone(_ key: RowKey, at version: Version) {
        guard let index = entries.index(forKey: key) else {
            entries[key] = Entry(
                version: version, appearedAt: version, isDeleted: true, value: [], hash: nil, awaitsHash: false)
            approximateBytes += Self.overheadPerRow + 2 * key.key.utf8.count
            tombstones.append(key, at: version)
            return noteChange(key, from: nil, at: version)
        }
        guard entries.values[index].isDeleted, entries.values[index].version != version else { return }
        let previous = entries.values[index].version
        entries.values[index].version = version
        tombstones.count -= 1
        tombstones.append(key, at: version)
        noteChange(key, from: previous, at: version)
    }

    /// Drops the oldest tombstones beyond the bound and says which.
    mutating func trimTombstones() -> [RowKey] {
        var dropped: [RowKey] = []
        while let oldest = tombstones.next(horizon: horizon) {
            guard let entry = entries[oldest.key], entry.isDeleted, entry.version == oldest.version else { continue }
            entries[oldest.key] = nil
            approximateBytes -= Self.overheadPerRow + 2 * oldest.key.key.utf8.count
            tombstones.count -= 1
            horizon = oldest.version
            dropped.append(oldest.key)
        }
        return dropped
    }

    /// Before as many rows are loaded.
    mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        order.reserveCapacity(count)
        unhashed.reserveCapacity(count)
    }

    /// Takes over a row of the read model. Rows must come ordered by (version, key). False: the key is here already.
    mutating func load(_ key: RowKey, _ row: Row) -> Bool {
        let entry = Entry(
            version: row.version, appearedAt: .zero, isDeleted: row.isDeleted, value: row.value, hash: nil,
            awaitsHash: !row.isDeleted)
        guard entries.updateValue(entry, forKey: key) == nil else { return false }
        approximateBytes += Self.overheadPerRow + row.value.count + 2 * key.key.utf8.count
        order.append(key, at: row.version)
        if row.isDeleted {
            tombstones.append(key, at: row.version)
        } else {
            unhashed.append(key)
        }
        return true
    }

    /// Makes the hash of a row in `unhashed`, which may have been deleted since.
    mutating func setHash(of key: RowKey, at index: Dictionary<RowKey, Entry>.Index) {
        entries.values[index].awaitsHash = false
        guard !entries.values[index].isDeleted else { return }
        let hash = RowHash(key, value: entries.values[index].value)
        entries.values[index].hash = hash
        groups[DigestGroup(key), default: DigestSum()].count += 1
        groups[DigestGroup(key), default: DigestSum()].digest += hash
        guard hiddenPreviews.hides(key), let app = key.app else { return }
        let hidden = RowHash(key, value: entries.values[index].hiddenValue)
        hiddenHashes[key] = hidden
        hiddenSums[app, default: DigestSum()].count += 1
        hiddenSums[app, default: DigestSum()].digest += hidden
    }

    private mutating func awaitHash(_ key: RowKey, at index: Dictionary<RowKey, Entry>.Index) {
        guard !entries.values[index].awaitsHash else { return }
        entries.values[index].awaitsHash = true
        unhashed.append(key)
    }

    private mutating func forgetHash(_ key: RowKey, at index: Dictionary<RowKey, Entry>.Index) {
        guard let hash = entries.values[index].hash else { return }
        groups[DigestGroup(key), default: DigestSum()].count -= 1
        groups[DigestGroup(key), default: DigestSum()].digest -= hash
        entries.values[index].hash = nil
        guard !hiddenHashes.isEmpty, let app = key.app, let hidden = hiddenHashes.removeValue(forKey: key) else {
            return
        }
        hiddenSums[app, default: DigestSum()].count -= 1
        hiddenSums[app, default: DigestSum()].digest -= hidden
    }

    private mutating func noteChange(_ key: RowKey, from previous: Version?, at version: Version) {
        if previous != version { order.append(key, at: version) }
        if order.count > 2 * entries.count + 1_024 {
            order.compact { entries[$0.key]?.version == $0.version }
        }
        tombstones.compact { entries[$0.key]?.isDeleted == true && entries[$0.key]?.version == $0.version }
        if unhashed.count > 2 * entries.count + 1_024 {
            unhashed.removeAll { entries[$0]?.awaitsHash != true }
        }
    }
}
