import FocusCore
import PostgresClient

/// Reads the log in chunks, each in one short statement: what consumes the events may take its time without holding a
/// snapshot (none for more than 5 s).
struct ReplaySource: Sendable {
    /// Where a chunk is cut off, in bytes, or at eight times what it aims at if that is less. The last event may exceed
    /// it.
    static let maximumBytes = 32 << 20
    /// How many rows are read at once when a filter picks them one by one, as far as they are not large.
    static let filteredCount = 500

    let filter: ReplayFilter
    /// How much memory a chunk aims at, in bytes.
    let targetBytes: Int

    init(_ filter: ReplayFilter, targetBytes: Int) {
        self.filter = filter
        self.targetBytes = targetBytes
    }

    /// Whether a chunk has every event of the range that is asked for, up to `maximumBytes` of them. Otherwise it ends
    /// where enough was looked at.
    var readsWhole: Bool { filter.user == nil && !filter.picksEvents }

    /// The next chunk of a range that is not empty; it ends within the range, and past its beginning. Throws
    /// `EventStoreError.corrupt` where the log has a hole; `PostgresError`.
    /// - Parameters:
    ///   - place: `ReplayChunk.place` of the chunk before, which ended where this one begins; nil: there was none.
    ///   - content: gets the events.
    func chunk<Content: ReplayContent>(
        _ range: PartitionRange, after place: Version?, into content: Content, on connection: PostgresConnection
    ) throws -> ReplayChunk<Content> {
        var chunk = ReplayChunk(
            partition: range.partition, content: content, next: range.offsets.lowerBound, count: 0)
        if let user = filter.user {
            try read(user, range, after: place, into: &chunk, on: connection)
        } else if filter.picksEvents {
            try readMatching(range, into: &chunk, on: connection)
        } else {
            try readWhole(range, into: &chunk, on: connection)
        }
        guard chunk.next > range.offsets.lowerBound else { throw Self.hole(range.partition, chunk.next) }
        chunk.next = min(chunk.next, range.offsets.upperBound)
        return chunk
    }

    private struct Full: Error {}

    private func readWhole<Content>(
        _ range: PartitionRange, into chunk: inout ReplayChunk<Content>, on connection: PostgresConnection
    ) throws {
        let from = range.offsets.lowerBound
        chunk.content.reserveCapacity(targetBytes + targetBytes / 4)
        do {
            try connection.copyOut(Self.copy(range.partition, from, range.offsets.upperBound)) { tuple in
                var row = try CopyRow(tuple)
                guard LogOffset(try row.int8()) == chunk.next else { throw Self.hole(range.partition, chunk.next) }
                try chunk.content.append(tuple, in: range.partition)
                chunk.count += 1
                chunk.next = chunk.next.next
                if chunk.content.byteCount >= limit { throw Full() }
            }
        } catch is Full {
            // The next chunk goes on after the last tuple.
        }
    }

    /// How many bytes a chunk may have before it is cut off.
    private var limit: Int { min(Self.maximumBytes, 8 * targetBytes) }

    private static func hole(_ partition: Partition, _ offset: LogOffset) -> EventStoreError {
        .corrupt("the log has no event at \(partition):\(offset)")
    }

    /// COPY takes no parameters; these are integers.
    private static func copy(_ partition: Partition, _ from: LogOffset, _ end: LogOffset) -> Statement {
        Statement(
            name: Queries.copyEvents.name,
            sql: Queries.copyEvents.sql
                .replacing("$1", with: "\(partition)").replacing("$2", with: "\(from)").replacing("$3", with: "\(end)"))
    }

    private func readMatching<Content>(
        _ range: PartitionRange, into chunk: inout ReplayChunk<Content>, on connection: PostgresConnection
    ) throws {
        let end = min(range.offsets.lowerBound.advanced(by: 100 * Self.filteredCount), range.offsets.upperBound)
        let (types, apps, devices) = (filter.types, filter.apps, filter.devices)
        let result = try connection.query(
            Queries.readEventsMatching,
            [
                .int4(range.partition.rawValue), .int8(range.offsets.lowerBound.rawValue), .int8(end.rawValue),
                types.isEmpty ? .null : .textArray(types.map(\.rawValue).sorted()),
                apps.isEmpty ? .null : .textArray(apps.sorted().map(\.rawValue)),
                devices.isEmpty ? .null : .uuidArray(devices.sorted().map(\.uuid)),
                .int8(Int64(Self.filteredCount)), .int8(Int64(limit)),
            ])
        let events = try LoggedEvent.read(result)
        let isCut = LogReader.isCut(events, limit: Self.filteredCount, bytes: Int64(limit))
        chunk.next = isCut ? events[events.count - 1].offset.next : end
        chunk.append(events)
    }

    private func read<Content>(
        _ user: UserID, _ range: PartitionRange, after place: Version?, into chunk: inout ReplayChunk<Content>,
        on connection: PostgresConnection
    ) throws {
        let result = try connection.query(
            Queries.readUserEvents,
            [
                .int4(range.partition.rawValue), .uuid(user.uuid), .int8(place?.rawValue ?? 0),
                .int8(range.offsets.lowerBound.rawValue), .int8(Int64(Self.filteredCount)),
                .int8(LogReader.bytesAtOnce),
            ])
        let events = try LoggedEvent.read(result)
        let isCut = LogReader.isCut(events, limit: Self.filteredCount)
        chunk.next = isCut ? events[events.count - 1].offset.next : range.offsets.upperBound
        let inRange = events.filter { range.offsets.contains($0.offset) }
        chunk.place = inRange.last?.version ?? place
        chunk.append(inRange.filter { filter.includes($0) })
    }
}

extension ReplayChunk {
    fileprivate mutating func append(_ events: [LoggedEvent]) {
        for event in events { content.append(event) }
        count = events.count
    }
}
