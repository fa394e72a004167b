import Foundation

/// Standard output and error, a whole line at a time.
enum Terminal {
    private static let output = DataOutput(STDOUT_FILENO)
    private static let errors = DataOutput(STDERR_FILENO)

    /// Control characters are written out (`VisibleText`), which JSON allows, too: titles and ids are other people's.
    static func line(_ text: String) {
        write(Array((VisibleText.of(text) + "\n").utf8))
    }

    /// To standard output as it stands. When that takes no more the program ends: nobody is there for the rest.
    static func write(_ bytes: [UInt8]) {
        do {
            try output.write(bytes)
        } catch {
            // Not `exit`: other threads are at work, and nothing that they use may be torn down under them.
            _exit(ExitStatus.report(error))
        }
    }

    /// To standard error; may have several lines.
    static func complain(_ text: String) {
        say(VisibleText.of(text, keeping: "\n") + "\n")
    }

    /// To standard error as it stands. When that cannot be written there is nobody to be told.
    static func say(_ text: String) {
        try? errors.write(Array(text.utf8))
    }
}
