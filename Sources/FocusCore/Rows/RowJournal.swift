/// Which rows changed, at which versions: recorded while a state folds, for those who ask later what made a row what it
/// is. It lists numbers, so that an event costs nearly nothing; keys are found when it is read.
struct RowJournal: Sendable {
    private struct Change: Sendable {
        var version: Version
        var number: Int32
        /// Whether the row was gone then.
        var isDeleted: Bool
    }

    /// A row that gave its number up.
    private struct Release: Sendable {
        /// How many changes came before it.
        var position: Int
        var number: Int
        var key: RowKey
    }

    /// The version after which it begins, and the event there.
    let start: Version
    let startEvent: EventID
    private var changes: [Change] = []
    private var releases: [Release] = []

    init(after start: Version, _ startEvent: EventID) {
        self.start = start
        self.startEvent = startEvent
    }

    var count: Int { changes.count }

    mutating func record(_ number: Int, isDeleted: Bool, at version: Version) {
        changes.append(Change(version: version, number: Int32(truncatingIfNeeded: number), isDeleted: isDeleted))
    }

    /// Records that another row may get the number.
    mutating func release(_ number: Int, of key: RowKey) {
        releases.append(Release(position: changes.count, number: number, key: key))
    }

    /// The changes row by row, in the order in which rows first changed. A key comes again when its row was forgotten
    /// and made anew.
    func changes(in entries: [RowStore.Entry], through end: Version, _ endEvent: EventID) -> RowChanges {
        let (slots, keys) = slots(in: entries)
        let starts = starts(of: slots, keys.count)
        var all = RowChanges(start: start, startEvent: startEvent, end: end, endEvent: endEvent)
        all.list = Array(repeating: .init(version: .zero, isDeleted: false), count: starts[keys.count])
        var counts = Array(repeating: 0, count: keys.count)
        for (position, slot) in slots.enumerated() {
            let place = starts[slot] + counts[slot]
            let change = RowChanges.Change(
                version: changes[position].version, isDeleted: changes[position].isDeleted)
            if counts[slot] > 0, all.list[place - 1].version == change.version {
                all.list[place - 1] = change
            } else {
                all.list[place] = change
                counts[slot] += 1
            }
        }
        all.rows = keys.indices.map { .init(key: keys[$0], changes: starts[$0]..<starts[$0] + counts[$0]) }
        return all
    }

    /// Where the changes of each row begin in a list of all, and where it ends. What an event does to a row in several
    /// steps is one change.
    private func starts(of slots: [Int], _ count: Int) -> [Int] {
        var last = Array(repeating: Version.zero, count: count)
        var starts = Array(repeating: 0, count: count + 1)
        for (position, slot) in slots.enumerated() where last[slot] != changes[position].version {
            last[slot] = changes[position].version
            starts[slot + 1] += 1
        }
        for slot in 0..<count { starts[slot + 1] += starts[slot] }
        return starts
    }

    /// For each change the row that it is of, and the keys of these rows.
    private func slots(in entries: [RowStore.Entry]) -> (slots: [Int], keys: [RowKey]) {
        var (slots, keys): ([Int], [RowKey]) = ([], [])
        slots.reserveCapacity(changes.count)
        // For each number the slot of the row that has it.
        var current = Array(repeating: -1, count: entries.count)
        var released = 0
        for position in 0...changes.count {
            while released < releases.count, releases[released].position == position {
                let slot = current[releases[released].number]
                if slot >= 0 { keys[slot] = releases[released].key }
                current[releases[released].number] = -1
                released += 1
            }
            guard position < changes.count else { break }
            let number = Int(changes[position].number)
            if current[number] < 0 {
                current[number] = keys.count
                // Of the row that has the number at the end; a row that had it before is named when it gives it up.
                keys.append(entries[number].key)
            }
            slots.append(current[number])
        }
        return (slots, keys)
    }
}
