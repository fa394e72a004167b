import FocusCore
import PostgresClient

/// Reads the log in chunks, each in one short statement: what consumes the events may take its time without holding a
/// snapshot (none for more than 5 s).
struct ReplaySource: Sendable {
    /// How much memory a chunk aims at, in bytes.
    static let targetBytes = 4 << 20
    /// Where a chunk is cut off, in bytes, or at eight times what its source aims at if that is less. The last event
    /// may exceed it.
    static let maximumBytes = 32 << 20
    static let maximumCount = 20_000
    /// How many rows are read at once when a filter picks them one by one; each may have 256 KiB.
    static let filteredCount = 500

    let filter: ReplayFilter
    /// How much memory a chunk of this source aims at, in bytes.
    private let targetBytes: Int
    /// How many offsets the next chunk spans.
    private(set) var span = 1_000
    /// How far a user's stream was read, and the offset in the log that this stands for: a chunk that begins there need
    /// not look at what came before.
    private var userPlace: (partition: Partition, offset: LogOffset, version: Version)?

    init(_ filter: ReplayFilter, targetBytes: Int = Self.targetBytes) {
        self.filter = filter
        self.targetBytes = targetBytes
    }

    /// The next chunk of a range that is not empty; it ends within the range, and past its beginning. Throws
    /// `EventStoreError.corrupt` where the log has a hole; `PostgresError`.
    mutating func chunk(_ range: PartitionRange, on connection: PostgresConnection) throws -> ReplayChunk {
        var chunk = try read(range, on: connection)
        guard chunk.next > range.offsets.lowerBound else {
            throw EventStoreError.corrupt("the log has no event at \(range.partition):\(chunk.next)")
        }
        chunk.next = min(chunk.next, range.offsets.upperBound)
        return chunk
    }

    private mutating func read(_ range: PartitionRange, on connection: PostgresConnection) throws -> ReplayChunk {
        if let user = filter.user { return try chunk(of: user, range, on: connection) }
        if filter.picksEvents { return try matchingChunk(range, on: connection) }
        let chunk = try wholeChunk(range, on: connection)
        let average = max(1, chunk.byteCount / max(1, chunk.count))
        span = min(max(targetBytes / average, 100), Self.maximumCount)
        return chunk
    }

    private struct Full: Error {}

    private func wholeChunk(_ range: PartitionRange, on connection: PostgresConnection) throws -> ReplayChunk {
        let from = range.offsets.lowerBound
        let end = min(from.advanced(by: span), range.offsets.upperBound)
        var tuples: [UInt8] = []
        tuples.reserveCapacity(targetBytes + targetBytes / 4)
        var count = 0
        do {
            try connection.copyOut(Self.copy(range.partition, from, end)) { tuple in
                withUnsafeBytes(of: UInt32(tuple.count)) { tuples.append(contentsOf: $0) }
                tuples.append(contentsOf: tuple)
                count += 1
                if tuples.count >= min(Self.maximumBytes, 8 * targetBytes) { throw Full() }
            }
        } catch is Full {
            // The next chunk goes on after the last tuple.
        }
        // Offsets are dense, so a count says where the chunk ends.
        return ReplayChunk(
            partition: range.partition, content: .tuples(tuples), next: from.advanced(by: count),
            byteCount: tuples.count, count: count)
    }

    /// COPY takes no parameters; these are integers.
    private static func copy(_ partition: Partition, _ from: LogOffset, _ end: LogOffset) -> Statement {
        Statement(
            name: Queries.copyEvents.name,
            sql: Queries.copyEvents.sql
                .replacing("$1", with: "\(partition)").replacing("$2", with: "\(from)").replacing("$3", with: "\(end)"))
    }

    private func matchingChunk(_ range: PartitionRange, on connection: PostgresConnection) throws -> ReplayChunk {
        let end = min(range.offsets.lowerBound.advanced(by: 100 * Self.filteredCount), range.offsets.upperBound)
        let (types, apps, devices) = (filter.types, filter.apps, filter.devices)
        let result = try connection.query(
            Queries.readEventsMatching,
            [
                .int4(range.partition.rawValue), .int8(range.offsets.lowerBound.rawValue), .int8(end.rawValue),
                types.isEmpty ? .null : .textArray(types.map(\.rawValue).sorted()),
                apps.isEmpty ? .null : .textArray(apps.sorted().map(\.rawValue)),
                devices.isEmpty ? .null : .uuidArray(devices.sorted().map(\.uuid)),
                .int8(Int64(Self.filteredCount)),
            ])
        let events = try LoggedEvent.read(result)
        let isCut = events.count == Self.filteredCount
        return Self.chunk(range.partition, events, next: isCut ? events[events.count - 1].offset.next : end)
    }

    private mutating func chunk(
        of user: UserID, _ range: PartitionRange, on connection: PostgresConnection
    ) throws -> ReplayChunk {
        let from = range.offsets.lowerBound
        let isNext = userPlace.map { $0.partition == range.partition && $0.offset == from } ?? false
        let result = try connection.query(
            Queries.readUserEvents,
            [
                .int4(range.partition.rawValue), .uuid(user.uuid),
                .int8(isNext ? userPlace?.version.rawValue ?? 0 : 0), .int8(from.rawValue),
                .int8(Int64(Self.filteredCount)), .int8(LogReader.bytesAtOnce),
            ])
        let events = try LoggedEvent.read(result)
        let isCut = LogReader.isCut(events, limit: Self.filteredCount)
        let next = isCut ? events[events.count - 1].offset.next : range.offsets.upperBound
        let inRange = events.filter { range.offsets.contains($0.offset) }
        if let last = inRange.last {
            userPlace = (range.partition, min(next, range.offsets.upperBound), last.version)
        }
        return Self.chunk(range.partition, inRange.filter { filter.includes($0) }, next: next)
    }

    private static func chunk(_ partition: Partition, _ events: [LoggedEvent], next: LogOffset) -> ReplayChunk {
        ReplayChunk(
            partition: partition, content: .events(events), next: next,
            byteCount: events.reduce(0) { $0 + $1.payload.count }, count: events.count)
    }
}
