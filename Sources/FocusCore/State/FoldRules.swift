/// The numbers in the rules. A program can fold by other numbers, to show what they would change and to test rebuilds;
/// a server folds by `current`.
public struct FoldRules: Hashable, Sendable {
    /// The rules of domain.md.
    public static let current = FoldRules(version: FocusCore.foldVersion)

    /// The version of the fold that these rules make; stored with a generation of the read model
    /// (`FocusCore.foldVersion`).
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
