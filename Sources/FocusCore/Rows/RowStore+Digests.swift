extension RowStore {
    /// Count and digest of the live rows of each public collection in the view, also of those without rows, in the
    /// order of the collections' names (rule S9).
    mutating func digests(in view: View) -> [CollectionDigest] {
        makeHashes()
        return sums.digests(in: view, hiddenPreviews)
    }

    /// Makes the hashes that are missing from the sums.
    mutating func makeHashes() {
        for number in unhashed { makeHash(number) }
        unhashed.removeAll(keepingCapacity: unhashed.count < 1_024)
    }

    /// Queues a row's hash to be made before the next digest.
    mutating func awaitHash(_ number: Int) {
        guard !rows.entries[number].awaitsHash else { return }
        rows.entries[number].awaitsHash = true
        unhashed.append(number)
    }

    /// Removes a row's hash from the sums, because the row changes or goes.
    mutating func forgetHash(_ number: Int) {
        guard let hash = rows.entries[number].hash else { return }
        rows.entries[number].hash = nil
        sums.subtract(hash, rows.entries[number].key)
    }

    /// Makes the hash of a row whose number was in `unhashed`; the row may be gone since.
    private mutating func makeHash(_ number: Int) {
        rows.entries[number].awaitsHash = false
        let entry = rows.entries[number]
        guard !entry.isDeleted else { return }
        let hash = RowHash(entry.key, value: entry.value)
        rows.entries[number].hash = hash
        sums.add(hash, entry.key)
        guard hiddenPreviews.hides(entry.key) else { return }
        sums.addHidden(RowHash(entry.key, value: entry.hiddenValue), entry.key)
    }
}
