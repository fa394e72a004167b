import FocusCore

/// Finds where a device's rows differ from the server's (rule S9).
public enum Divergence {
    /// The collections whose count or digest differ. A collection that one side does not name has no rows there.
    public static func between(_ own: [CollectionDigest], _ server: [CollectionDigest]) -> [RowCollection] {
        func filled(_ digests: [CollectionDigest]) -> Set<CollectionDigest> { Set(digests.filter { $0.count > 0 }) }
        return Set(filled(own).symmetricDifference(filled(server)).map(\.collection)).sorted()
    }
}
