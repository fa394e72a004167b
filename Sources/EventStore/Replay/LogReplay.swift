import FocusCore
import PostgresClient

/// Reads the log again, from any place, and changes nothing.
///
/// Flow: threads of their own read chunks (binary COPY unless a filter picks single events), several of one range at
/// the same time → `inFlight` chunks are read or wait at most → the caller's thread decodes and consumes them in order.
/// So reading and consuming go on side by side, memory is bounded, and a consumer that stops for an hour holds no
/// snapshot.
public struct LogReplay: Sendable {
    /// How much memory a chunk aims at, in bytes.
    static let targetBytes = 3 << 20
    /// How many chunks are being read or wait; one more is consumed.
    static let inFlight = 3

    private let configuration: StoreConfiguration
    private let filter: ReplayFilter
    private let readers: Int

    /// - Parameter readers: how many connections and threads read. One where several replays run side by side.
    public init(_ configuration: StoreConfiguration, filter: ReplayFilter = ReplayFilter(), readers: Int = 2) {
        self.configuration = configuration
        self.filter = filter
        self.readers = max(1, readers)
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
        let source = ReplaySource(filter, targetBytes: Self.targetBytes)
        // Where the next chunk begins is known beforehand only if each has all events of its stretch.
        let queue = ReplayQueue<LoggedContent>(lanes: source.readsWhole ? Self.inFlight : 1, readers: readers)
        let threads = try ReplayReaders(source, configuration, for: queue) { LoggedContent() }
        defer { threads.stop() }
        var reading = ChunksInOrder(ranges, source, queue)
        var names = EventNames()
        while let chunk = try reading.next() {
            try chunk.content.forEach(in: chunk.partition, &names, body)
            try passed(chunk.partition, chunk.next)
        }
    }
}

/// Asks for chunks of ranges ahead, and has them in their order.
private struct ChunksInOrder {
    private let queue: ReplayQueue<LoggedContent>
    private let readsWhole: Bool
    /// What was not asked for yet, the last range first.
    private var rest: [PartitionRange]
    /// What was asked for, in order.
    private var asked: [ReplayQueue<LoggedContent>.Request] = []
    private var span: ChunkSpan

    init(_ ranges: [PartitionRange], _ source: ReplaySource, _ queue: ReplayQueue<LoggedContent>) {
        self.queue = queue
        readsWhole = source.readsWhole
        rest = ranges.reversed()
        span = ChunkSpan(targetBytes: source.targetBytes)
        for lane in 0..<(readsWhole ? LogReplay.inFlight : 1) { ask(lane) }
    }

    /// Waits for the next chunk; nil after the last. Throws what reading it threw.
    mutating func next() throws -> ReplayChunk<LoggedContent>? {
        guard !asked.isEmpty else { return nil }
        var request = asked.removeFirst()
        let chunk = try queue.dequeue(request.lane)
        if chunk.next < request.range.offsets.upperBound {
            // The chunk was cut off: what is left of its stretch comes before everything that was asked for since.
            request.range.offsets = chunk.next..<request.range.offsets.upperBound
            request.place = chunk.place
            asked.insert(request, at: 0)
            queue.ask(request, isFirst: true)
        } else {
            if readsWhole { span.adapt(chunk) }
            ask(request.lane)
        }
        return chunk
    }

    private mutating func ask(_ lane: Int) {
        guard let range = rest.popLast() else { return }
        let stretch = readsWhole ? span.first(of: range) : range
        if stretch.offsets.upperBound < range.offsets.upperBound {
            let left = stretch.offsets.upperBound..<range.offsets.upperBound
            rest.append(PartitionRange(partition: range.partition, offsets: left))
        }
        let request = ReplayQueue<LoggedContent>.Request(lane: lane, range: stretch)
        asked.append(request)
        queue.ask(request)
    }
}
