extension RowStore {
    /// Count and digest of the live rows of each public collection in the view, also of those without rows, in the
    /// order of the collections' names (rule S9).
    mutating func digests(in view: View) -> [CollectionDigest] {
        makeHashes()
        return sums.digests(in: view, hiddenPreviews)
    }

    /// Makes the hashes that are missing from the sums.
    mutating func makeHashes() { _ = makeHashes(limitBytes: .max) }

    /// Makes hashes that the next digests need, of rows that take about `limitBytes`; of one row more at the most.
    /// - Returns: about how many bytes they took; less than the limit when no row is left without one.
    mutating func makeHashes(limitBytes: Int) -> Int {
        var bytes = 0
        while bytes < limitBytes, let number = unhashed.popLast() { bytes += makeHash(number) }
        if unhashed.isEmpty, unhashed.capacity >= 1_024 { unhashed = [] }
        return bytes
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

    /// What a hash costs beside its row's bytes, in bytes.
    private static let bytesPerHash = 128

    /// Makes the hash of a row whose number was in `unhashed`; the row may be gone since.
    /// - Returns: about how many bytes it took.
    private mutating func makeHash(_ number: Int) -> Int {
        rows.entries[number].awaitsHash = false
        let entry = rows.entries[number]
        guard !entry.isDeleted else { return 0 }
        let bytes = Self.bytesPerHash + entry.value.count
        let hash = RowHash(entry.key, value: entry.value)
        rows.entries[number].hash = hash
        sums.add(hash, entry.key)
        guard hiddenPreviews.hides(entry.key) else { return bytes }
        sums.addHidden(RowHash(entry.key, value: entry.hiddenValue), entry.key)
        return 2 * bytes
    }
}
