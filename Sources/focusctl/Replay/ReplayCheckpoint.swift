import EventStore
import FocusCore
import Foundation
import PostgresClient
import Programs

/// A file that says how far a replay got: `<log id> <positions> <events right before them>`. Replaced as a whole, so it
/// is never half written.
///
/// The events tell whether the log is still the one that was read: one that lost its end, and went on, has others at the
/// same offsets.
struct ReplayCheckpoint: Sendable {
    let path: String
    let log: LogID
    let database: PostgresConfiguration

    /// The stored positions; nil: there is no file yet. Throws `CommandFailure` when the file belongs to another log,
    /// or is no checkpoint; `IntegrityFailure` when the log lost events that were replayed.
    func read(on connection: PostgresConnection) throws -> PositionVector? {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
        }
        let parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
        // Earlier programs wrote no events.
        guard (2...3).contains(parts.count), let id = LogID(text: parts[0]), let vector = PositionVector(parts[1]),
            let anchors = Self.anchors(parts.count == 3 ? parts[2] : "")
        else { throw CommandFailure("\(path) is no checkpoint of a replay. Remove it to begin again.") }
        guard id == log else {
            throw CommandFailure("\(path) is of log \(id), this one is \(log). Give another file.")
        }
        do {
            try LogReader().verify(anchors, on: connection)
        } catch let lost as LogTruncated {
            throw IntegrityFailure(
                """
                Not all that was replayed by \(path) is in the log any more: \(lost). Other events have those offsets \
                now, and what devices gave back stands elsewhere. Remove the file, and replay to a new output.
                """)
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
        // Without the database the positions alone, as earlier programs wrote them: what was replayed is not forgotten.
        let anchors = (try? anchors(before: vector)) ?? [:]
        let temporary = "\(path).\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let bytes = Array("\(log) \(vector) \(Self.text(anchors))\n".utf8)
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

    // MARK: Events

    /// Over a connection of its own: those of the replay are busy, and this happens once a second at the most.
    private func anchors(before vector: PositionVector) throws -> [Partition: LogAnchor] {
        let connection = try PostgresConnection(database)
        defer { connection.close() }
        return try LogReader().anchors(before: vector, on: connection)
    }

    /// `partition:offset:event:microseconds` of each, separated by commas.
    private static func text(_ anchors: [Partition: LogAnchor]) -> String {
        anchors.sorted { $0.key < $1.key }.map { partition, anchor in
            "\(partition):\(anchor.offset):\(anchor.event):\(anchor.recordedAt.microseconds)"
        }.joined(separator: ",")
    }

    /// Nil when the text is not that.
    private static func anchors(_ text: String) -> [Partition: LogAnchor]? {
        var anchors: [Partition: LogAnchor] = [:]
        for part in text.split(separator: ",") {
            let fields = part.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, let partition = Int32(fields[0]), let offset = Int64(fields[1]),
                let event = EventID(text: String(fields[2])), let time = Int64(fields[3])
            else { return nil }
            anchors[Partition(partition)] = LogAnchor(
                offset: LogOffset(offset), event: event, recordedAt: Timestamp(microseconds: time))
        }
        return anchors
    }
}
