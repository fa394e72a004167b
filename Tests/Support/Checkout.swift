import Foundation

/// The repository that the tests are of, for those that read its files.
public enum Checkout {
    public static let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: from the repository's root on.
    public static func file(_ path: String) -> URL { root.appending(path: path) }
}
