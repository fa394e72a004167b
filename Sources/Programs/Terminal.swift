import Answers
import Foundation

/// Standard output and error, a whole line at a time.
package enum Terminal {
    private static let output = DataOutput(STDOUT_FILENO)
    private static let errors = DataOutput(STDERR_FILENO)

    /// Prints a line on standard output. Control characters are written out (`VisibleText`), because titles and ids are
    /// other people's text; in JSON that is allowed.
    package static func line(_ text: String) {
        write(Array((VisibleText.of(text) + "\n").utf8))
    }

    /// Writes bytes to standard output unchanged. When nothing can be written any more the program ends, because nobody
    /// reads the rest.
    package static func write(_ bytes: [UInt8]) {
        do {
            try output.write(bytes)
        } catch {
            // Not `exit`, which would tear down what other threads still use.
            _exit(ExitStatus.report(unwritten: error))
        }
    }

    /// Prints a text of one or several lines on standard error.
    package static func complain(_ text: String) {
        say(VisibleText.of(text, keeping: "\n") + "\n")
    }

    /// Writes a text to standard error unchanged. When that fails there is nobody to tell.
    package static func say(_ text: String) {
        try? errors.write(Array(text.utf8))
    }
}
