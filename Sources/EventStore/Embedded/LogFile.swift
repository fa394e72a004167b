import Foundation

/// The server's log, which all its processes append to.
struct LogFile {
    let path: String

    /// At a start, a log larger than this (bytes) makes place for a new one; one old log is kept.
    private static let rotationSize: Int64 = 8 << 20
    /// The end of the log in an error message, in bytes: as much as an operator reads.
    private static let tailSize: Int64 = 3000

    var size: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    func rotate() {
        if size > Self.rotationSize { rename(path, path + ".1") }
    }

    /// The end of the log, at most `tailSize` bytes and nothing before the byte `start`.
    func tail(from start: Int64) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? file.close() }
        do {
            try file.seek(toOffset: UInt64(max(start, size - Self.tailSize)))
            let data = try file.readToEnd() ?? Data()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            return ""
        }
    }
}
