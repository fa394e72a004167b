import FocusCore

/// The rows of a user that staged events changed. A key may be there more than once.
struct TouchedRows {
    private(set) var keys: [RowKey] = []
    /// Where in `keys` a row stands that every event of its kind changes: of the user's stream, of a device, of an app's
    /// stream, of an app's badge. As a frame's events change the same ones, the last few are looked through. Nil until a
    /// second event comes: most frames of a device that waits for each answer have one.
    private var counters: [Int]?

    private static let counterLimit = 8

    /// Adds the rows that an event changed.
    mutating func add(_ changed: [RowKey]) {
        guard !keys.isEmpty else {
            keys = changed
            return
        }
        var counters = counters ?? keys.indices.filter { Self.isCounter(keys[$0]) }.suffix(Self.counterLimit)
        for key in changed {
            if Self.isCounter(key) {
                guard !counters.contains(where: { keys[$0] == key }) else { continue }
                if counters.count == Self.counterLimit { counters.removeFirst() }
                counters.append(keys.count)
            }
            keys.append(key)
        }
        self.counters = counters
    }

    private static func isCounter(_ key: RowKey) -> Bool {
        switch key.collection {
        case .stream, .devices, .appStreams, .badges: true
        default: false
        }
    }
}
