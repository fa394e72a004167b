import FocusCore
import PostgresClient

/// Reads the log again, from any place, and changes nothing.
///
/// Flow: a thread of its own reads chunks (binary COPY unless a filter picks single events) → two chunks wait at most →
/// the caller's thread decodes and consumes. So reading and consuming go on side by side, memory is bounded, and a
/// consumer that stops for an hour holds no snapshot.
public struct LogReplay: Sendable {
    private let configuration: StoreConfiguration
    private let filter: ReplayFilter

    public init(_ configuration: StoreConfiguration, filter: ReplayFilter = ReplayFilter()) {
        self.configuration = configuration
        self.filter = filter
    }

    /// Calls `body` for each event of the ranges that the filter lets through: range after range, each in order.
    ///
    /// Returns after the last. Blocks the calling thread. Rethrows what `body` throws, which ends the replay;
    /// `PostgresError` when the database cannot be asked: go on from the offset after the last event seen.
    /// - Parameter passed: gets, after each chunk, an offset below which `body` got every event of the partition.
    public func run(
        _ ranges: [PartitionRange], passed: (Partition, LogOffset) throws -> Void = { _, _ in },
        _ body: (LoggedEvent) throws -> Void
    ) throws {
        let ranges = ranges.filter { !$0.offsets.isEmpty }
        guard !ranges.isEmpty else { return }
        let queue = ReadAheadQueue<ReplayChunk>()
        let reader = try PostgresThread(name: "replay") { [configuration, filter] in
            Self.read(ranges, configuration, filter, into: queue)
        }
        defer {
            queue.cancel()
            reader.join()
        }
        var decoder = ReplayDecoder()
        for range in ranges {
            var next = range.offsets.lowerBound
            while next < range.offsets.upperBound {
                let chunk = try queue.dequeue()
                switch chunk.content {
                case .tuples(let tuples): try decoder.decode(tuples, chunk.partition, body)
                case .events(let events): try events.forEach(body)
                }
                next = chunk.next
                try passed(range.partition, next)
            }
        }
    }

    private static func read(
        _ ranges: [PartitionRange], _ configuration: StoreConfiguration, _ filter: ReplayFilter,
        into queue: ReadAheadQueue<ReplayChunk>
    ) {
        do {
            let connection = try configuration.connect()
            defer { connection.close() }
            var source = ReplaySource(filter)
            for range in ranges {
                var rest = range
                while !rest.offsets.isEmpty {
                    guard queue.waitForRoom() else { return }
                    let chunk = try source.chunk(rest, on: connection)
                    rest.offsets = chunk.next..<rest.offsets.upperBound
                    queue.enqueue(.success(chunk))
                }
            }
        } catch {
            queue.enqueue(.failure(error))
        }
    }
}
