import FocusCore

/// The rows of a user that staged events changed. A key may be there more than once.
struct TouchedRows {
    private(set) var keys: [RowKey] = []
    /// Where in `keys` a row stands that every event of its kind changes: of the user's stream, of a device, of an app's
    /// stream. As a frame's events change the same ones, the last few are looked through.
    private var counters: [Int] = []

    private static let counterLimit = 8

    /// Adds the rows that an event changed.
    mutating func add(_ changed: [RowKey]) {
        for key in changed {
            switch key.collection {
            case .stream, .devices, .appStreams:
                guard !counters.contains(where: { keys[$0] == key }) else { continue }
                if counters.count == Self.counterLimit { counters.removeFirst() }
                counters.append(keys.count)
            default: break
            }
            keys.append(key)
        }
    }
}
