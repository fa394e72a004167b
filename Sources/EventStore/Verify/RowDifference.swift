import FocusCore

/// A row of the read model that is not what the events make of it.
public struct RowDifference: Hashable, Sendable {
    public var key: RowKey
    /// What the events make, at the version that the read model shows of the user. Nil: no row.
    public var expected: Row?
    /// What the read model has. Nil: no row.
    public var shown: Row?
    /// The event since which the row has been as expected, in what differs. Nil: an extra row that no event ever made.
    public var since: Version?
    /// The first event after which the row was no longer what the read model shows. Nil: it never was that.
    public var partedAt: Version?

    public init(_ key: RowKey, expected: Row?, shown: Row?) {
        self.key = key
        self.expected = expected
        self.shown = shown
    }

    /// What differs: all of it when either side has no row.
    public var parts: Set<RowPart> {
        guard let expected, let shown else { return Set(RowPart.allCases) }
        return Set(RowPart.allCases.filter { !$0.isEqual(expected, shown) })
    }

    public var kind: RowDifferenceKind {
        if shown == nil { return .missing }
        return expected == nil ? .extra : .changed
    }
}

/// How a row differs.
public enum RowDifferenceKind: String, Hashable, Sendable {
    case changed
    /// The events make a row that the read model lacks.
    case missing
    /// The read model has a row that the events do not make.
    case extra
}

/// A part of a row.
public enum RowPart: String, Hashable, Sendable, CaseIterable {
    case version
    case deleted
    /// What devices get.
    case value
    /// What the fold remembers beside it.
    case memo

    func isEqual(_ one: Row, _ other: Row) -> Bool {
        switch self {
        case .version: one.version == other.version
        case .deleted: one.isDeleted == other.isDeleted
        case .value: one.value == other.value
        case .memo: one.memo == other.memo
        }
    }
}
