import ArgumentParser
import Foundation

/// The exit codes of `focusctl`, in one place.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    /// Rows differed from the server's, or the log is not what it must be.
    case integrity = 3

    /// The last paragraph of each command's help.
    static let help = "Exit codes: 0 done, 1 failed, 2 usage, 3 integrity."

    /// Prints what a person should know about an error, or the help that was asked for. Returns the exit code.
    static func report(_ error: any Error) -> Int32 {
        if let failure = error as? IntegrityFailure {
            Terminal.complain("Error: \(failure)")
            return integrity.rawValue
        }
        if let failure = error as? OutputFailure, failure.isReaderGone { return failed.rawValue }
        let code = Focusctl.exitCode(for: error)
        let text = Focusctl.fullMessage(for: error)
        if code == .success {
            Terminal.write(Array((text + "\n").utf8))
            return done.rawValue
        }
        if !text.isEmpty { Terminal.complain(text) }
        // ArgumentParser's own code for a wrong command line is 64.
        return code == .validationFailure ? usage.rawValue : code.rawValue
    }
}

/// Data is not what it must be (exit code 3).
struct IntegrityFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A command could not do its work (exit code 1). The description says what to do.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
