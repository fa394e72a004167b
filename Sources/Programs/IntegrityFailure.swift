/// Data is not what it must be (exit code 3).
package struct IntegrityFailure: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
