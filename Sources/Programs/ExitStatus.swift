import ArgumentParser
import Foundation

/// The exit codes of the programs, in one place.
package enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    /// Rows differed from the server's, or the log is not what it must be.
    case integrity = 3

    /// The last paragraph of each command's help.
    package static let help = "Exit codes: 0 done, 1 failed, 2 usage, 3 integrity."

    /// Prints what a person should know about an error, or the help that was asked for. Returns the exit code.
    /// - Parameter root: the program's command, whose usage is shown for a wrong command line.
    static func report(_ error: any Error, of root: (some ParsableCommand).Type) -> Int32 {
        if let failure = IntegrityFailure(of: error) {
            Terminal.complain("Error: \(failure)")
            return integrity.rawValue
        }
        if error is OutputFailure { return report(unwritten: error) }
        let code = root.exitCode(for: error)
        let text = root.fullMessage(for: error)
        if code == .success {
            Terminal.write(Array((text + "\n").utf8))
            return done.rawValue
        }
        if !text.isEmpty { Terminal.complain(text) }
        // ArgumentParser's own code for a wrong command line is 64.
        return code == .validationFailure ? usage.rawValue : code.rawValue
    }

    /// Prints why the output cannot be written, unless its reader is gone: then nobody waits for a word. Returns the
    /// exit code.
    static func report(unwritten error: any Error) -> Int32 {
        if (error as? OutputFailure)?.isReaderGone != true { Terminal.complain("Error: \(error)") }
        return failed.rawValue
    }
}
