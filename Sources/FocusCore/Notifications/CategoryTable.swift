/// An app's categories: one register for all of them (rule N1).
struct CategoryTable: Sendable {
    private(set) var register: Register<[NotificationCategory]>?
    /// The index of each category in the register's value.
    private var indices: [ByteText: Int] = [:]

    /// Returns false when a later registration stands.
    mutating func write(_ categories: [NotificationCategory], _ stamp: Stamp) -> Bool {
        guard register.write(categories, stamp) else { return false }
        indices = Dictionary(
            categories.enumerated().map { (ByteText($1.id), $0) }, uniquingKeysWith: { first, _ in first })
        return true
    }

    /// Nil for a category that is not registered, and without one.
    subscript(id: String?) -> NotificationCategory? {
        guard let id, let index = indices[ByteText(id)], let register else { return nil }
        return register.value[index]
    }
}
