import FocusCore

/// The keys of rows that the read model lacks. One may be there more than once: every commit changes the same few,
/// such as that of the user's stream, and to look each up costs more than to keep it twice. Whoever reads the rows
/// reads each of them once (`UserState.forEachRow(of:_:)`).
struct DirtyRows {
    private(set) var keys: [RowKey]
    /// With more keys than this, those that are there already are dropped.
    private var limit = Self.leastLimit

    /// More than a user's rows change between two batches, mostly: to find out which keys are there already costs as
    /// much as to look each up when it comes.
    static let leastLimit = 8_192
    /// The bytes that a key takes here; its text is the row's.
    static let bytesPerKey = 48

    init(_ keys: [RowKey] = []) { self.keys = keys }

    var isEmpty: Bool { keys.isEmpty }
    /// How many keys there are, with those that are there more than once.
    var count: Int { keys.count }

    /// About how many bytes they take in memory.
    var bytes: Int { count * Self.bytesPerKey }

    mutating func add(_ changed: [RowKey]) {
        if keys.isEmpty {
            keys = changed
        } else {
            keys += changed
        }
        if keys.count > limit { dropRepeated() }
    }

    /// Drops the keys that are there already.
    mutating func dropRepeated() {
        keys = Array(Set(keys))
        limit = max(Self.leastLimit, 2 * keys.count)
    }
}
