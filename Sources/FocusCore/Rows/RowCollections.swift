/// A set of collections, as cheap as a number.
public struct RowCollections: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    public init(_ collections: some Sequence<RowCollection>) {
        for collection in collections { bits |= 1 << UInt64(collection.ordinal) }
    }

    public init(arrayLiteral collections: RowCollection...) { self.init(collections) }

    public var isEmpty: Bool { bits == 0 }

    public func contains(_ collection: RowCollection) -> Bool { bits & 1 << UInt64(collection.ordinal) != 0 }

    public func intersection(_ other: Self) -> Self {
        var both = self
        both.bits &= other.bits
        return both
    }

    public func isSubset(of other: Self) -> Bool { bits & ~other.bits == 0 }
}
