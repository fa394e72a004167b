import FocusCore
import PostgresClient

extension LogReader {
    /// Hands the events of a user past `version` to `body`, in order and decoded. A long history is read and decoded
    /// ahead by a thread of its own, which alone uses the connection until this returns.
    ///
    /// Ends when `body` returns false, and where the log ends. In memory are four chunks at most.
    ///
    /// Throws `PostgresError`; `EventStoreError` or `PayloadError` when an event cannot be read; what `body` throws.
    /// - Parameters:
    ///   - last: no event past it is read.
    ///   - limit: the most events that a chunk has.
    public func forEachDecoded(
        of user: UserID, partition: Partition, after version: Version = .zero, through last: Version = Version(.max),
        atOnce limit: Int = atOnce, on connection: PostgresConnection, _ body: (Event) throws -> Bool
    ) throws {
        try forEachChunk(of: user, partition, after: version, through: last, limit, on: connection) { chunk in
            try chunk.forEach { try body(chunk.events[$0]) }
        }
    }

    /// The same, with each event as the log holds it.
    public func forEachDecoded(
        of user: UserID, partition: Partition, after version: Version = .zero, through last: Version = Version(.max),
        atOnce limit: Int = atOnce, on connection: PostgresConnection, _ body: (LoggedEvent, Event) throws -> Bool
    ) throws {
        try forEachChunk(of: user, partition, after: version, through: last, limit, on: connection) { chunk in
            try chunk.forEach { try body(chunk.logged[$0], chunk.events[$0]) }
        }
    }

    /// - Parameter body: returns whether more are wanted.
    private func forEachChunk(
        of user: UserID, _ partition: Partition, after version: Version, through last: Version, _ limit: Int,
        on connection: PostgresConnection, _ body: (HistoryChunk) throws -> Bool
    ) throws {
        guard version < last else { return }
        let first = try HistoryChunk(of: user, partition, after: version, through: last, limit: limit, on: connection)
        guard let next = first.next else {
            _ = try body(first)
            return
        }
        let queue = ReadAheadQueue<HistoryChunk>()
        // unsafe: only the thread uses it until it is joined.
        nonisolated(unsafe) let connection = connection
        let reader = try PostgresThread(name: "history") {
            Self.read(user, partition, after: next, through: last, limit, on: connection, into: queue)
        }
        defer {
            queue.cancel()
            reader.join()
        }
        var chunk = first
        while try body(chunk), chunk.next != nil { chunk = try queue.dequeue() }
    }

    private static func read(
        _ user: UserID, _ partition: Partition, after version: Version, through last: Version, _ limit: Int,
        on connection: PostgresConnection, into queue: ReadAheadQueue<HistoryChunk>
    ) {
        do {
            var next: Version? = version
            while let version = next, queue.waitForRoom() {
                let chunk = try HistoryChunk(
                    of: user, partition, after: version, through: last, limit: limit, on: connection)
                queue.enqueue(.success(chunk))
                next = chunk.next
            }
        } catch {
            queue.enqueue(.failure(error))
        }
    }
}
