import Foundation

/// A new file of our own in `/tmp`, empty and closed to everybody else. It goes with this value.
struct TemporaryFile: ~Copyable {
    struct Failure: Error {
        /// For people, as the system says it.
        let reason: String
    }

    static let directory = "/tmp"
    let path: String

    /// - Parameter name: what its name begins with; for whoever finds it after a crash.
    init(_ name: String) throws(Failure) {
        var template = Array("\(Self.directory)/\(name)-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        close(descriptor)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unlink(path) }

    /// What is in it by now; nil when that cannot be read, or is no text.
    var text: String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        // Foundation leaks the buffer with which it reads an empty file.
        return status.st_size == 0 ? "" : try? String(contentsOfFile: path, encoding: .utf8)
    }
}
