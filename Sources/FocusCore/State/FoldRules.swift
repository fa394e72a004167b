/// Rules that are numbers, so that one program can fold by others: to show what they would change, and in tests of
/// rebuilds. A server folds by `current`.
public struct FoldRules: Hashable, Sendable {
    /// The domain's (domain.md).
    public static let current = FoldRules(version: FocusCore.foldVersion)

    /// Of the fold that these rules make; stored with a generation of the read model (`FocusCore.foldVersion`).
    public var version: Int32
    /// Metres; a point exactly this accurate is kept (rule R2). At most `RouteFilter.maximumHorizontalAccuracy`: chunks
    /// of points are read with that bound.
    public var maximumHorizontalAccuracy: Double

    public init(
        version: Int32, maximumHorizontalAccuracy: Double = RouteFilter.maximumHorizontalAccuracy
    ) {
        self.version = version
        self.maximumHorizontalAccuracy = maximumHorizontalAccuracy
    }
}
