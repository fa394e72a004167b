import FocusCore

/// The server did something other than the rule demands.
struct CaseFailure: Error, CustomStringConvertible {
    let description: String
    /// What the server answered instead of what the case asked for; nil when it was something else that failed.
    let code: ErrorCode?

    init(_ description: String, code: ErrorCode? = nil) { (self.description, self.code) = (description, code) }
}

/// Fails the case unless `condition` is true.
/// - Parameter what: what is wrong when `condition` is false.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw CaseFailure(what()) }
}
