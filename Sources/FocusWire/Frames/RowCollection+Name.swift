import FocusCore

extension RowCollection {
    /// The collections of these names. A name that this program does not know stands for a collection without rows, and
    /// is left out. If all are unknown, the result is an internal collection, which no view shows: no collection at all
    /// would mean every one.
    static func named(_ names: [String]) -> [RowCollection] {
        let known = names.compactMap { RowCollection(rawValue: $0) }
        return known.isEmpty && !names.isEmpty ? [.stream] : known
    }
}
