/// A command could not do its work (exit code 1). The description says what to do.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
