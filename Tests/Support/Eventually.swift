import Foundation

/// Why `eventually` gave up.
public struct NeverHappened: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Blocks until `condition` is true: tests wait for what they need, never for a time.
/// - Parameter limit: far beyond what a loaded machine takes; only a failing test waits so long.
public func eventually(
    _ what: String, within limit: Duration = .seconds(180), _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while try !condition() {
        if ContinuousClock.now >= deadline { throw NeverHappened(description: "never happened: \(what)") }
        usleep(5000)
    }
}

/// The same where something else must go on meanwhile: gives its thread back between two looks.
public func awaiting(
    _ what: String, within limit: Duration = .seconds(180), _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while try !condition() {
        if ContinuousClock.now >= deadline { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}
