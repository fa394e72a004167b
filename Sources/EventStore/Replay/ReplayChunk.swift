import FocusCore

/// Events of a partition that were read at once.
struct ReplayChunk<Content: ReplayContent>: Sendable {
    var partition: Partition
    var content: Content
    /// Every event of the partition below this offset was looked at.
    var next: LogOffset
    /// How many events it holds.
    var count: Int
    /// Of one user's events: the version that the user's stream was read up to, which is all that lies below `next`. A
    /// chunk that begins there need not look at what came before. Nil: not known.
    var place: Version?
}

/// How many offsets a chunk spans, so that it takes about as much memory as it should.
struct ChunkSpan: Sendable {
    static let maximumCount = 20_000

    /// How much memory a chunk aims at, in bytes.
    let targetBytes: Int
    private var count = 1_000

    init(targetBytes: Int) { self.targetBytes = targetBytes }

    /// The beginning of a range that makes up the next chunk.
    func first(of range: PartitionRange) -> PartitionRange {
        let end = min(range.offsets.lowerBound.advanced(by: count), range.offsets.upperBound)
        return PartitionRange(partition: range.partition, offsets: range.offsets.lowerBound..<end)
    }

    /// Adapts to how large the events of a chunk are.
    mutating func adapt(_ chunk: ReplayChunk<some ReplayContent>) {
        let average = max(1, chunk.content.byteCount / max(1, chunk.count))
        count = min(max(targetBytes / average, 100), Self.maximumCount)
    }
}
