import Foundation

/// The error of `eventually` and `awaiting` when the condition is not met within the limit.
public struct NeverHappened: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

/// Blocks until `condition` is true. Tests wait for a condition, never for a length of time.
/// - Parameter limit: far more than a loaded machine takes; only a failing test waits this long.
public func eventually(
    _ what: String, within limit: Duration = .seconds(180), _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while try !condition() {
        if ContinuousClock.now >= deadline { throw NeverHappened(description: "never happened: \(what)") }
        usleep(5000)
    }
}

/// Like `eventually`, but gives its thread back between two checks, for tests in which other tasks must go on.
public func awaiting(
    _ what: String, within limit: Duration = .seconds(180), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while try await !condition() {
        if ContinuousClock.now >= deadline { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}
