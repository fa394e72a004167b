extension RowStore {
    /// The rows after `position` that the view may hold, ordered by (version, key), until they take `limitBytes`; at
    /// least one, if there is any. `version` is that of the view's head.
    func page(after position: SyncPosition, in view: View, limitBytes: Int, version: Version) -> SyncPage {
        guard let app = view.silentApp else {
            return page(after: position, in: view, limitBytes, version, nil, order)
        }
        guard let slot = streamSlots[app] else {
            let next = SyncPosition(version: max(version, position.version))
            return SyncPage(rows: [], next: next, isComplete: true)
        }
        return page(after: position, in: view, limitBytes, version, slot, streams[slot].order)
    }

    /// How many changes of the next version the page after `position` may look at, if it begins with that: none of them
    /// may be in the view.
    func changesOfNextVersion(after position: SyncPosition, in view: View) -> Int {
        guard let order = order(of: view), position.key == nil else { return 0 }
        let first = order.firstIndex(atOrAfter: position.version.next)
        return first < order.count ? order.run(from: first).count : 0
    }

    /// How many changes there are after `version`.
    func changes(after version: Version, in view: View) -> Int {
        guard let order = order(of: view) else { return 0 }
        return order.count - order.firstIndex(atOrAfter: version.next)
    }

    /// The order in which the view has its rows; nil when it has none yet.
    private func order(of view: View) -> ChangeOrder? {
        guard let app = view.silentApp else { return order }
        return streamSlots[app].map { streams[$0].order }
    }

    /// - Parameters:
    ///   - slot: the stream whose versions count; nil: the user's.
    ///   - order: the order in which its rows changed.
    private func page(
        after position: SyncPosition, in view: View, _ limitBytes: Int, _ version: Version, _ slot: Int?,
        _ order: ChangeOrder
    ) -> SyncPage {
        // The entries are read where they stand: a copy of one touches a reference count for each of its parts, and a
        // closure over the store copies the store.
        let entries = rows.entries
        var page = SyncPage(rows: [], next: position, isComplete: false)
        var bytes = 0
        var found: [Int] = []
        // A position without a key is past every row of its version.
        var index = order.firstIndex(atOrAfter: position.key == nil ? position.version.next : position.version)
        while index < order.count {
            let run = order.run(from: index)
            // The last of so many is past the limit, also where the first row alone is.
            let most = limitBytes / DeltaRow.leastBytes + 2
            find(in: run, of: order, entries, slot, after: position, view: view, most: most, &found)
            for number in found {
                let changedAt = slot == nil ? entries[number].version : entries[number].place
                let row = DeltaRow(
                    key: entries[number].key, version: changedAt, value: value(of: number, entries, in: view))
                bytes += row.approximateBytes
                if bytes > limitBytes && !page.rows.isEmpty { return page }
                page.rows.append(row)
                page.next.version = changedAt
                page.next.key = row.key
            }
            index = run.upperBound
        }
        page.next.version = max(version, position.version)
        page.next.key = nil
        page.isComplete = true
        return page
    }

    /// The value that a device gets; nil when the row is gone. No other code hands a row's value to a device.
    private func value(of number: Int, _ entries: [Entry], in view: View) -> [UInt8]? {
        guard !entries[number].isDeleted else { return nil }
        let hides = hiddenPreviews.hides(entries[number].key.collection, of: entries[number].key.app, in: view)
        return hides ? entries[number].hiddenValue : entries[number].value
    }

    /// The numbers of the rows to be sent whose last change is in the run, sorted by key; of a long run the first `most`
    /// of them. `found` is one array for all runs, because a user has thousands of them.
    private func find(
        in run: Range<Int>, of order: ChangeOrder, _ entries: [Entry], _ slot: Int?, after position: SyncPosition,
        view: View, most: Int, _ found: inout [Int]
    ) {
        found.removeAll(keepingCapacity: true)
        let version = order.changes[run.lowerBound].version
        let sent = version == position.version ? position.key : nil
        let isLong = run.count > ChangeOrder.longRun
        let start = isLong ? sent.map { first(in: run, of: order, entries, slot, after: $0) } : nil
        for place in (start ?? run.lowerBound)..<run.upperBound {
            let number = order.changes[place].number
            guard entries[number].isCurrent(slot, at: version), view.includes(entries[number].key) else { continue }
            if entries[number].isDeleted && version <= position.skipTombstonesThrough { continue }
            if let sent, entries[number].key <= sent { continue }
            found.append(number)
            if isLong && found.count == most { return }
        }
        if !isLong && found.count > 1 { found.sort { entries[$0].key < entries[$1].key } }
    }

    /// Where the rows past `key` begin in a long run. Rows that are not current say nothing: the number may be another
    /// row's by now, of another key.
    private func first(
        in run: Range<Int>, of order: ChangeOrder, _ entries: [Entry], _ slot: Int?, after key: RowKey
    ) -> Int {
        let version = order.changes[run.lowerBound].version
        var (low, high) = (run.lowerBound, run.upperBound)
        while low < high {
            let middle = (low + high) / 2
            var place = middle
            while place < high, !entries[order.changes[place].number].isCurrent(slot, at: version) { place += 1 }
            if place < high, entries[order.changes[place].number].key <= key { low = place + 1 } else { high = middle }
        }
        return low
    }
}

extension DeltaRow {
    /// The least that a row takes.
    static let leastBytes = 32

    /// The bytes that it takes in a frame, within a few.
    var approximateBytes: Int {
        Self.leastBytes + key.key.utf8.count + (key.app?.rawValue.utf8.count ?? 0) + (value?.count ?? 0)
    }
}
