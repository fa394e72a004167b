import FocusCore

/// Follows one row that differs through its user's events.
struct RowHistory {
    private let difference: RowDifference
    private let parts: Set<RowPart>
    private var wasExpected: Bool
    private var wasShown: Bool
    /// See `RowDifference.since`.
    private(set) var since: Version?
    /// See `RowDifference.partedAt`.
    private(set) var partedAt: Version?

    /// Before the first event there is no row.
    init(_ difference: RowDifference) {
        self.difference = difference
        parts = difference.parts
        wasExpected = difference.expected == nil
        wasShown = difference.shown == nil
    }

    mutating func compare(_ state: borrowing UserState) {
        let row = state.row(difference.key)
        let isExpected = isEqual(row, difference.expected)
        if isExpected && !wasExpected { since = state.version }
        wasExpected = isExpected
        let isShown = isEqual(row, difference.shown)
        if wasShown && !isShown { partedAt = state.version }
        wasShown = isShown
    }

    /// Compares only the parts that differ: a memo that changes with every event says nothing about a value that is
    /// wrong.
    private func isEqual(_ row: Row?, _ other: Row?) -> Bool {
        guard let row, let other else { return row == nil && other == nil }
        return parts.allSatisfy { $0.isEqual(row, other) }
    }
}
