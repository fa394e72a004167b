import FocusCore

/// Events that were read at once: as the server sent them, or decoded already.
enum ReplayContent: Sendable {
    /// Tuples of a binary COPY, each after its length (4 bytes, native order).
    case tuples([UInt8])
    case events([LoggedEvent])
}

struct ReplayChunk: Sendable {
    var partition: Partition
    var content: ReplayContent
    /// Every event of the partition below this offset was looked at.
    var next: LogOffset
    /// How many bytes of memory it takes, roughly.
    var byteCount: Int
    /// How many events it holds.
    var count: Int
}
