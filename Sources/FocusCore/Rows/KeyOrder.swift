/// The order of keys. Numbers that stand for the keys' beginnings are sorted, and whole keys are compared only where
/// the numbers are equal: sorting the keys themselves takes longer than making the rows.
struct KeyOrder {
    private struct Beginning: Comparable {
        /// The collection's rank, then the app's.
        let table: UInt64
        /// The first bytes of the key, then zeros.
        let text: UInt64
        let index: Int

        static func < (a: Self, b: Self) -> Bool { a.table == b.table ? a.text < b.text : a.table < b.table }
    }

    /// Indices in the keys that were given, the lowest key's first.
    let indices: [Int]

    /// - Parameter key: the key of an index below `count`.
    init(count: Int, _ key: (Int) -> RowKey) {
        let ranks = Self.ranks(count, key)
        var order: [Beginning] = []
        order.reserveCapacity(count)
        var last: (app: AppID?, rank: UInt32) = (nil, 0)
        for index in 0..<count {
            let key = key(index)
            // Rows of one app often follow one another.
            if key.app != last.app { last = (key.app, key.app.flatMap { ranks[$0] } ?? 0) }
            order.append(
                Beginning(
                    table: UInt64(key.collection.rank) << 32 | UInt64(last.rank), text: Self.beginning(of: key.key),
                    index: index))
        }
        order.sort()
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, !(order[start] < order[end]) { end += 1 }
            if end - start > 1 { order[start..<end].sort { key($0.index) < key($1.index) } }
            start = end
        }
        indices = order.map(\.index)
    }

    /// The rank of each app in the apps' own order, from 1; a key without an app is before all of them.
    private static func ranks(_ count: Int, _ key: (Int) -> RowKey) -> [AppID: UInt32] {
        var apps: Set<AppID> = []
        var last: AppID?
        for index in 0..<count {
            guard let app = key(index).app, app != last else { continue }
            apps.insert(app)
            last = app
        }
        let sorted = apps.sorted { ByteText.precedes($0.rawValue, $1.rawValue) }
        return Dictionary(uniqueKeysWithValues: zip(sorted, 1...))
    }

    /// The first eight bytes as a number, which is ordered as they are.
    private static func beginning(of text: String) -> UInt64 {
        var number: UInt64 = 0
        var count: UInt64 = 0
        for byte in text.utf8.prefix(8) {
            number = number << 8 | UInt64(byte)
            count += 1
        }
        return count == 0 ? 0 : number << (8 * (8 - count))
    }
}
