/// Answers questions about a finished route from its stored chunks: finds those that matter by where each begins, and
/// decodes only them, a few at a time.
public struct SealedRouteReader: Sendable {
    /// Bytes of a chunk that tell its beginning.
    public static let headBytes = 11
    /// Chunks that are asked for at once: at most so much is in memory, and one page of points rarely needs more.
    static let chunksPerLoad = 12

    /// In the order of time.
    private let chunks: [(id: Int, start: Timestamp)]

    /// - Parameter heads: of every chunk, at least its first `headBytes` bytes, or all when there are fewer.
    public init(heads: [Int: [UInt8]]) throws(RouteTrackError) {
        var chunks: [(id: Int, start: Timestamp)] = []
        for (id, bytes) in heads {
            do { chunks.append((id, try RouteChunkCoding.start(of: bytes))) } catch { throw .malformedChunk(id) }
        }
        self.chunks = chunks.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    /// - Parameter load: gives the bytes of these chunks.
    ///
    /// Throws what `load` throws, and `RouteTrackError` when the chunks are not what a track has written. Of a question
    /// that is not about points: `.unknown`.
    public func answer(_ question: FetchQuestion, load: ([Int]) throws -> [Int: [UInt8]]) throws -> FetchAnswer {
        switch question {
        case .routePoints(_, let from, let to, let limit):
            var page = RoutePointPage(from: from, to: to, limit: limit)
            try read(from: from, load) { page.take($0) }
            return page.answer
        case .routeSpeed(_, let from, let to):
            var span = RouteSpan(from: from, to: to)
            // Nothing is to be read to say that it has no speed.
            if from < to { try read(from: from, load) { span.take($0) } }
            return .speed(span.speed)
        case .route, .routes, .workouts, .unknown: return .unknown
        }
    }

    /// Reads on from the chunk that holds `time`, or would, until `take` has enough.
    private func read(
        from time: Timestamp?, _ load: ([Int]) throws -> [Int: [UInt8]], _ take: ([RoutePoint]) -> Bool
    ) throws {
        let first = time.flatMap { time in chunks.lastIndex { $0.start <= time } } ?? 0
        for position in stride(from: first, to: chunks.count, by: Self.chunksPerLoad) {
            let some = chunks[position..<min(chunks.count, position + Self.chunksPerLoad)].map(\.id)
            let loaded = try load(some)
            for id in some {
                guard let bytes = loaded[id] else { throw RouteTrackError.inconsistent }
                guard let points = try? RouteChunkCoding.points(from: bytes) else {
                    throw RouteTrackError.malformedChunk(id)
                }
                guard take(points) else { return }
            }
        }
    }
}

extension RouteChunkCoding {
    /// When the chunk's first point is, told from its first bytes.
    static func start(of bytes: [UInt8]) throws(ProtoError) -> Timestamp {
        guard bytes.first == format else { throw .malformed }
        var position = 1
        return Timestamp(microseconds: Int64(bitPattern: try difference(in: bytes, at: &position)))
    }
}
