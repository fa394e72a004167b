import EventStore
import FocusCore
import Foundation
import Programs

/// A file that says how far a replay got: `<log id> <positions>`. Replaced as a whole, so it is never half written.
struct ReplayCheckpoint: Sendable {
    let path: String
    let log: LogID

    /// The stored positions; nil: there is no file yet. Throws `CommandFailure` when the file belongs to another log,
    /// or is no checkpoint.
    func read() throws -> PositionVector? {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        let parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard parts.count == 2, let id = LogID(text: parts[0]), let vector = PositionVector(parts[1]) else {
            throw CommandFailure("\(path) is no checkpoint of a replay. Remove it to begin again.")
        }
        guard id == log else {
            throw CommandFailure("\(path) is of log \(id), this one is \(log). Give another file.")
        }
        return vector
    }

    /// Throws `CommandFailure` when the file cannot be replaced: a replay that cannot say how far it got is better not
    /// begun.
    func check() throws {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        close(descriptor)
        unlink(temporary)
    }

    /// Replaces the file; the positions are durable when this returns.
    func write(_ vector: PositionVector) throws {
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let bytes = Array("\(log) \(vector)\n".utf8)
        let isWritten = Foundation.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let error = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            if !isWritten { errno = error }
            let failure = failure()
            unlink(temporary)
            throw failure
        }
    }

    private func failure() -> CommandFailure {
        CommandFailure("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
