import Foundation

/// Seeds of tests over random histories. A test takes its seed as an argument: then every failure names it, thrown
/// errors included. `FOCUS_SEED` repeats one.
public enum Seeds {
    /// The seed in `FOCUS_SEED`.
    public static let given = ProcessInfo.processInfo.environment["FOCUS_SEED"].flatMap(UInt64.init)

    /// `count` seeds that no run before had, or the given one alone.
    public static func fresh(_ count: Int = 1) -> [UInt64] {
        given.map { [$0] } ?? (0..<count).map { _ in .random(in: 0...(.max)) }
    }

    /// The seeds below `count`, or the given one alone.
    public static func first(_ count: UInt64) -> [UInt64] { given.map { [$0] } ?? Array(0..<count) }
}
