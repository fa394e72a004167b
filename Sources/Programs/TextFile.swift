import Foundation

/// A file that a command reads, which may be anything that its user names.
package enum TextFile {
    /// The file's text. Throws `CommandFailure` that says why it cannot be read, in the system's words: those of
    /// Foundation differ between systems, and say nothing of directories.
    package static func read(_ path: String) throws(CommandFailure) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(file, &piece, piece.count)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            bytes += piece[..<count]
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(path) cannot be read: it is no text in UTF-8.")
        }
        return text
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path) cannot be read: \(String(cString: strerror(errno))).")
    }
}
