import FocusCore
import PostgresClient

/// Reads several partitions of the log as one stream, in the order in which their events were recorded; equal moments
/// in the order of the partitions. Within a partition, and so for a user, that is the log's own order.
///
/// Flow: one thread and connection reads chunks of whichever partition is about to run out → a heap of the partitions'
/// next events → the caller's thread consumes. Memory is bounded, and a consumer that stands still holds no snapshot.
public struct MergedReplay: Sendable {
    /// Chunks of all partitions together take about this much memory, twice.
    static let targetBytes = 16 << 20

    private let configuration: StoreConfiguration
    private let filter: ReplayFilter

    public init(_ configuration: StoreConfiguration, filter: ReplayFilter = ReplayFilter()) {
        self.configuration = configuration
        self.filter = filter
    }

    /// Calls `body` for each event of the ranges that the filter lets through. At most one range of a partition.
    ///
    /// Returns after the last. Blocks the calling thread. Rethrows what `body` and `passed` throw; `PostgresError`.
    /// - Parameter passed: gets, after each chunk, an offset below which `body` got every event of the partition.
    public func run(
        _ ranges: [PartitionRange], passed: (Partition, LogOffset) throws -> Void = { _, _ in },
        _ body: (LoggedEvent) throws -> Void
    ) throws {
        let ranges = ranges.filter { !$0.offsets.isEmpty }.sorted { $0.partition < $1.partition }
        guard !ranges.isEmpty else { return }
        let queue = MergeQueue(lanes: ranges.count)
        let reader = try PostgresThread(name: "replay") { [configuration, filter] in
            Self.read(ranges, configuration, filter, queue)
        }
        defer {
            queue.cancel()
            reader.join()
        }
        for lane in ranges.indices { queue.ask(lane) }
        var lanes = ranges.map { MergePart($0) }
        var heads = ArrivalQueue()
        for lane in lanes.indices {
            if let time = try lanes[lane].fill(lane, queue, passed) { heads.add(.init(time: time, slot: lane)) }
        }
        while let head = heads.removeFirst() {
            try lanes[head.slot].handFirst(to: body)
            if let time = try lanes[head.slot].fill(head.slot, queue, passed) {
                heads.add(.init(time: time, slot: head.slot))
            }
        }
    }

    private static func read(
        _ ranges: [PartitionRange], _ configuration: StoreConfiguration, _ filter: ReplayFilter, _ queue: MergeQueue
    ) {
        var rests = ranges
        var sources = ranges.map { _ in
            ReplaySource(filter, targetBytes: max(64 << 10, Self.targetBytes / ranges.count))
        }
        var connection: PostgresConnection?
        defer { connection?.close() }
        while let lane = queue.nextRequest() {
            do {
                let open = try connection ?? configuration.connect()
                connection = open
                let chunk = try sources[lane].chunk(rests[lane], on: open)
                rests[lane].offsets = chunk.next..<rests[lane].offsets.upperBound
                queue.enqueue(chunk, lane)
            } catch {
                queue.fail(error)
                return
            }
        }
    }
}

/// One partition's part of a merge.
private struct MergePart {
    private let range: PartitionRange
    private var events: [LoggedEvent] = []
    private var index = 0
    /// Every event of the range below this offset is in the chunks received so far.
    private var next: LogOffset
    private var decoder = ReplayDecoder()

    init(_ range: PartitionRange) {
        self.range = range
        next = range.offsets.lowerBound
    }

    mutating func handFirst(to body: (LoggedEvent) throws -> Void) rethrows {
        try body(events[index])
        index += 1
    }

    /// Makes sure that there is a next event, and returns when it was recorded; nil at the end of the range.
    mutating func fill(
        _ lane: Int, _ queue: MergeQueue, _ passed: (Partition, LogOffset) throws -> Void
    ) throws -> Timestamp? {
        while index == events.count {
            if next > range.offsets.lowerBound { try passed(range.partition, next) }
            guard next < range.offsets.upperBound else { return nil }
            let chunk = try queue.dequeue(lane)
            next = chunk.next
            if next < range.offsets.upperBound { queue.ask(lane) }
            index = 0
            switch chunk.content {
            case .events(let read): events = read
            case .tuples(let tuples):
                events.removeAll(keepingCapacity: true)
                events.reserveCapacity(chunk.count)
                try decoder.decode(tuples, chunk.partition) { events.append($0) }
            }
        }
        return events[index].recordedAt
    }
}
