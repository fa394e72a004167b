/// The server did something other than the rule demands.
struct CaseFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Fails the case unless `condition` is true.
/// - Parameter what: what is wrong when `condition` is false.
func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw CaseFailure(what()) }
}
