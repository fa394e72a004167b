/// Which of the names that there are somebody may have meant.
package enum NearNames {
    /// How many names a sentence lists.
    private static let shown = 8
    /// How many characters of a name count, so that no name costs much.
    private static let compared = 64

    /// The names, those that differ least from `name` first.
    package static func sorted(_ names: some Sequence<String>, by name: String) -> [String] {
        names.map { (distance(Array($0.prefix(compared)), Array(name.prefix(compared))), $0) }
            .sorted { $0 < $1 }.map(\.1)
    }

    /// `“a”, “b” and 7 more`; nothing when there is no name.
    package static func list(_ names: some Sequence<String>, by name: String) -> String? {
        let sorted = sorted(names, by: name)
        guard !sorted.isEmpty else { return nil }
        let list = sorted.prefix(shown).map { "“\($0)”" }.joined(separator: ", ")
        return sorted.count > shown ? list + " and \(sorted.count - shown) more" : list
    }

    /// How many characters have to be inserted, removed or replaced (the Levenshtein distance), whatever their case.
    package static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let cost = left.lowercased() == right.lowercased() ? 0 : 1
                let next = min(row[j + 1] + 1, row[j] + 1, diagonal + cost)
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[b.count]
    }
}
