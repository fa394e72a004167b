import ArgumentParser

/// What is wrong with a setting that stands in a file or in the environment, for the operator.
struct SettingsError: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
