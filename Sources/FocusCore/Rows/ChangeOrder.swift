/// A row's change at a version.
struct OrderedChange: Hashable, Sendable {
    var version: Version
    /// The row's number in `NumberedRows`.
    var number: Int
}

/// Rows in the order in which they changed, so that a delta costs its own size and not the user's. A row that changed
/// again has a stale entry before its new one, which readers skip and `compact` removes.
struct ChangeOrder: Sendable {
    /// More changes of one version than so many are sorted by key, once they are all there: one event may change all
    /// rows of a user, which then take many pages. Of fewer each page finds the order itself.
    static let longRun = 256

    /// The changes; their versions never decrease.
    private(set) var changes: [OrderedChange] = []

    var count: Int { changes.count }

    mutating func reserveCapacity(_ count: Int) { changes.reserveCapacity(count) }

    mutating func append(_ number: Int, at version: Version) {
        changes.append(OrderedChange(version: version, number: number))
    }

    /// Sorts the changes of a version, of which no more come, if they are many.
    /// - Parameters:
    ///   - version: the last one, which may have none.
    ///   - entries: those of all numbers.
    mutating func endVersion(_ version: Version, _ entries: [RowStore.Entry]) {
        guard count > Self.longRun, changes[count - 1].version == version,
            changes[count - 1 - Self.longRun].version == version
        else { return }
        let run = changes[firstIndex(atOrAfter: version)...]
        let start = run.startIndex
        let sorted = KeyOrder(count: run.count) { entries[run[start + $0].number].key }.indices.map { run[start + $0] }
        changes.replaceSubrange(start..., with: sorted)
    }

    /// Sorts changes that were not appended in their order.
    /// - Parameter entries: those of all numbers.
    mutating func sort(_ entries: [RowStore.Entry]) {
        let isSorted = zip(changes, changes.dropFirst()).allSatisfy { $0.version <= $1.version }
        guard !isSorted else { return }
        changes.sort {
            $0.version == $1.version ? entries[$0.number].key < entries[$1.number].key : $0.version < $1.version
        }
    }

    mutating func compact(keeping isCurrent: (OrderedChange) -> Bool) {
        changes.removeAll { !isCurrent($0) }
    }

    /// The index of the first change at or after `version`. Mostly the last few changes are asked for, so the search
    /// begins at the end, and its steps double.
    func firstIndex(atOrAfter version: Version) -> Int {
        var (low, high, step) = (changes.count, changes.count, 1)
        while low > 0, changes[low - 1].version >= version {
            high = low - 1
            low = max(0, low - step)
            step *= 2
        }
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].version < version { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The indices of the changes of one version, from `start` on.
    func run(from start: Int) -> Range<Int> {
        var end = start
        while end < changes.count, changes[end].version == changes[start].version { end += 1 }
        return start..<end
    }
}

/// Tombstones, oldest first. Bounded by count, because nobody knows which device is still away.
struct TombstoneQueue: Sendable {
    /// The most that a user with one app has: half of them in that app's stream, and half of what no app sees.
    static let limit = 10_000
    /// The most of one queue.
    static let perQueue = limit / 2

    /// How many rows are tombstones now.
    var count = 0
    /// May hold stale entries: rows that came back.
    private var queue: [OrderedChange] = []
    private var head = 0

    mutating func append(_ number: Int, at version: Version) {
        count += 1
        queue.append(OrderedChange(version: version, number: number))
    }

    /// Whether there are more of them than may be.
    var isOverfull: Bool { count > Self.perQueue }

    /// The next tombstone to drop, if the bound asks for it. With one tombstone of a version all others of that version
    /// are dropped: the horizon makes them useless, and so nothing depends on their order.
    /// - Parameter last: the version of the one that was dropped last; nil when none was yet.
    mutating func next(after last: Version?) -> OrderedChange? {
        guard head < queue.count, isOverfull || queue[head].version == last else {
            if queue.count > 2 * Self.perQueue + 1_024, head > queue.count / 2 {
                queue.removeFirst(head)
                head = 0
            }
            return nil
        }
        defer { head += 1 }
        return queue[head]
    }

    /// Removes the stale entries when there are too many of them.
    mutating func compact(keeping isCurrent: (OrderedChange) -> Bool) {
        guard queue.count - head > 2 * count + 1_024 else { return }
        queue = queue[head...].filter(isCurrent)
        head = 0
    }
}
