import ArgumentParser
import Foundation

/// What the programs of the command line (`focusctl`, `focus-bench`, `focus-conformance`) share, so that they behave
/// alike: exit codes, standard output and error, the options that say which server or log is meant, and the tokens that
/// they sign. It is a module of its own, because one program cannot import another, and because `Answers` writes
/// nowhere.
///
/// Flow: `main` of a program → `Programs.run` parses the command line and runs the command → the command prints through
/// `Terminal` → an error becomes one sentence on standard error and an `ExitStatus`.
package enum Programs {
    /// Runs the command that the command line names. When it fails, the process ends with an exit code.
    package static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
        do {
            var command = try root.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Foundation.exit(ExitStatus.report(error, of: root))
        }
    }
}
