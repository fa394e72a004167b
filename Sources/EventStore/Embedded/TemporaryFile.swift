import Foundation

/// A new file of our own in `/tmp`, empty and closed to everybody else. It is deleted with this value.
struct TemporaryFile: ~Copyable {
    struct Failure: Error {
        /// The system's message, for people.
        let reason: String
    }

    static let directory = "/tmp"
    let path: String

    /// - Parameter name: how the file's name begins; it tells whoever finds the file after a crash where it comes from.
    init(_ name: String) throws(Failure) {
        var template = Array("\(Self.directory)/\(name)-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        close(descriptor)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unlink(path) }

    /// The content so far; nil when it cannot be read or is not text.
    var text: String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        // Foundation leaks the buffer with which it reads an empty file.
        return status.st_size == 0 ? "" : try? String(contentsOfFile: path, encoding: .utf8)
    }
}
