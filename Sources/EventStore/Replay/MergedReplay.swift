import FocusCore
import PostgresClient

/// Reads several partitions of the log as one stream, in the order in which their events were recorded; equal moments
/// in the order of the partitions. Within a partition, and so for a user, that is the log's own order.
///
/// Flow: threads with a connection each read chunks of whichever partitions are about to run out, and make the text of
/// their events → a heap of the partitions' next events → the caller's thread consumes. Memory is bounded, and a
/// consumer that stands still holds no snapshot.
public struct MergedReplay: Sendable {
    /// Chunks of all partitions together take about this much memory, twice.
    static let targetBytes = 16 << 20
    /// How many threads and connections read.
    static let readers = 2

    private let configuration: StoreConfiguration
    private let filter: ReplayFilter

    public init(_ configuration: StoreConfiguration, filter: ReplayFilter = ReplayFilter()) {
        self.configuration = configuration
        self.filter = filter
    }

    /// Calls `body` for each event of the ranges that the filter lets through. At most one range of a partition.
    ///
    /// Returns after the last. Blocks the calling thread. Rethrows what `body` and `passed` throw; `PostgresError`.
    /// - Parameters:
    ///   - render: appends an event's text. Called on several threads, on events of one partition in their order.
    ///   - passed: gets, after each chunk, an offset below which `body` got every event of the partition.
    public func run(
        _ ranges: [PartitionRange], render: @escaping @Sendable (LoggedEvent, inout [UInt8]) -> Void,
        passed: (Partition, LogOffset) throws -> Void = { _, _ in }, _ body: (RenderedEvent) throws -> Void
    ) throws {
        let ranges = ranges.filter { !$0.offsets.isEmpty }.sorted { $0.partition < $1.partition }
        guard !ranges.isEmpty else { return }
        let source = ReplaySource(filter, targetBytes: max(64 << 10, Self.targetBytes / ranges.count))
        let queue = ReplayQueue<RenderedContent>(lanes: ranges.count, readers: Self.readers)
        let threads = try ReplayReaders(source, configuration, for: queue) { RenderedContent(render) }
        defer { threads.stop() }
        var lanes = ranges.enumerated().map { MergeLane($0.element, $0.offset, source, queue) }
        var heads = ArrivalQueue()
        for lane in lanes.indices {
            if let time = try lanes[lane].fill(passed) { heads.add(.init(time: time, slot: lane)) }
        }
        while let head = heads.removeFirst() {
            try lanes[head.slot].handFirst(to: body)
            if let time = try lanes[head.slot].fill(passed) { heads.add(.init(time: time, slot: head.slot)) }
        }
    }
}

/// An event's place, and its text.
public struct RenderedEvent {
    public let partition: Partition
    public let offset: LogOffset
    /// Valid during the call that gets it.
    public let bytes: UnsafeRawBufferPointer
}

/// One partition's part of a merge.
private struct MergeLane {
    private let range: PartitionRange
    private let lane: Int
    private let readsWhole: Bool
    private let queue: ReplayQueue<RenderedContent>
    private var span: ChunkSpan
    private var content = RenderedContent { _, _ in }
    private var index = 0
    /// Where the text of the event at `index` begins.
    private var start = 0
    /// Every event of the range below this offset is in the chunks received so far.
    private var next: LogOffset

    /// Asks for the first chunk.
    init(_ range: PartitionRange, _ lane: Int, _ source: ReplaySource, _ queue: ReplayQueue<RenderedContent>) {
        self.range = range
        self.lane = lane
        self.queue = queue
        readsWhole = source.readsWhole
        span = ChunkSpan(targetBytes: source.targetBytes)
        next = range.offsets.lowerBound
        ask(after: nil)
    }

    mutating func handFirst(to body: (RenderedEvent) throws -> Void) rethrows {
        let place = content.places[index]
        try content.bytes.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[start..<place.end])
            try body(RenderedEvent(partition: range.partition, offset: place.offset, bytes: text))
        }
        start = place.end
        index += 1
    }

    /// Makes sure that there is a next event, and returns when it was recorded; nil at the end of the range.
    mutating func fill(_ passed: (Partition, LogOffset) throws -> Void) throws -> Timestamp? {
        while index == content.places.count {
            if next > range.offsets.lowerBound { try passed(range.partition, next) }
            guard next < range.offsets.upperBound else { return nil }
            let chunk = try queue.dequeue(lane)
            next = chunk.next
            if readsWhole { span.adapt(chunk) }
            ask(after: chunk.place)
            content = chunk.content
            (index, start) = (0, 0)
        }
        return content.places[index].recordedAt
    }

    /// Asks for what follows, if there is any.
    private func ask(after place: Version?) {
        guard next < range.offsets.upperBound else { return }
        let rest = PartitionRange(partition: range.partition, offsets: next..<range.offsets.upperBound)
        queue.ask(.init(lane: lane, range: readsWhole ? span.first(of: rest) : rest, place: place))
    }
}
