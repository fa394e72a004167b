import FocusCore
import PostgresClient

/// The threads that read chunks for a consumer, each over a connection of its own: the database has a process for each
/// of them, and so sends as fast as several of its processes can.
struct ReplayReaders<Content: ReplayContent> {
    private let queue: ReplayQueue<Content>
    private let threads: [PostgresThread]

    /// Starts the threads. Throws `PostgresError` when the system gives no more of them.
    /// - Parameter empty: makes the content that a chunk begins with.
    init(
        _ source: ReplaySource, _ configuration: StoreConfiguration, for queue: ReplayQueue<Content>,
        _ empty: @escaping @Sendable () -> Content
    ) throws {
        self.queue = queue
        var threads: [PostgresThread] = []
        do {
            for _ in 0..<queue.readers {
                threads.append(
                    try PostgresThread(name: "replay") { Self.read(source, configuration, queue, empty) })
            }
        } catch {
            queue.cancel()
            for thread in threads { thread.join() }
            throw error
        }
        self.threads = threads
    }

    /// Returns when no thread reads any more.
    func stop() {
        queue.cancel()
        for thread in threads { thread.join() }
    }

    private static func read(
        _ source: ReplaySource, _ configuration: StoreConfiguration, _ queue: ReplayQueue<Content>,
        _ empty: () -> Content
    ) {
        var connection: PostgresConnection?
        defer { connection?.close() }
        while let request = queue.nextRequest() {
            do {
                let open = try connection ?? configuration.connect()
                connection = open
                let chunk = try source.chunk(request.range, after: request.place, into: empty(), on: open)
                queue.enqueue(chunk, request.lane)
            } catch {
                queue.fail(error)
                return
            }
        }
    }
}
