import FocusCore
import PostgresClient

/// The stored points of one finished route: rows of `route_points` in the active generation of its partition.
public struct RouteChunkRows: Sendable {
    let route: AppItem
    let user: UserID
    let partition: Partition
    let generation: Generation

    /// - Parameter generation: the one that the partition's head names.
    public init(_ route: AppItem, of user: UserID, in partition: Partition, generation: Int32) {
        self.route = route
        self.user = user
        self.partition = partition
        self.generation = Generation(generation)
    }

    /// The first `length` bytes of every chunk, by the chunk's number.
    func heads(length: Int, on connection: PostgresConnection) throws -> [Int: [UInt8]] {
        let result = try connection.query(
            generation.statement(Queries.readRouteChunkHeads),
            [
                .int4(partition.rawValue), .uuid(user.uuid), .text(route.app.rawValue),
                .text(StoredKey(route.id).text), .int4(Int32(length)),
            ])
        return try Self.chunks(result)
    }

    func chunks(_ ids: [Int], on connection: PostgresConnection) throws -> [Int: [UInt8]] {
        let keys = ids.map { StoredKey(RouteChunkKey(routeID: route.id, chunk: $0).description).text }
        let result = try connection.query(
            generation.statement(Queries.readRouteChunks),
            [.int4(partition.rawValue), .uuid(user.uuid), .text(route.app.rawValue), .textArray(keys)])
        return try Self.chunks(result)
    }

    /// Reads rows of key, key_bytes and bytes into a table by the chunk's number.
    static func chunks(_ result: PostgresResult) throws -> [Int: [UInt8]] {
        var chunks: [Int: [UInt8]] = [:]
        for row in 0..<result.rowCount {
            let key =
                result.isNull(row: row, column: 1)
                ? try result.text(row: row, column: 0)
                : String(decoding: try result.bytes(row: row, column: 1), as: UTF8.self)
            guard let chunk = RouteChunkKey(key) else { throw EventStoreError.corrupt("a row's key is no chunk's") }
            chunks[chunk.chunk] = try result.bytes(row: row, column: 2)
        }
        return chunks
    }
}

extension StoreConnection {
    /// Begins to answer a question about a finished route from its stored points, of which only those that matter are
    /// read: by `step`, with `chunks` as `load`.
    ///
    /// Throws `PostgresError`, `RouteTrackError` and `EventStoreError` when the points are not what a route has.
    public func search(for question: FetchQuestion, in rows: RouteChunkRows) throws -> SealedRouteSearch {
        let heads = try performOnPostgres { try rows.heads(length: SealedRouteReader.headBytes, on: $0) }
        guard !heads.isEmpty else { throw EventStoreError.corrupt("a finished route has no points") }
        return try SealedRouteReader(heads: heads).search(for: question)
    }

    /// The bytes of these chunks, by the chunk's number.
    public func chunks(_ ids: [Int], of rows: RouteChunkRows) throws -> [Int: [UInt8]] {
        try performOnPostgres { try rows.chunks(ids, on: $0) }
    }
}
