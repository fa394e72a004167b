/// Answers questions about a finished route from its stored chunks: finds those that matter by when each begins, and
/// decodes only them, a few at a time.
public struct SealedRouteReader: Sendable {
    /// The first bytes of a chunk, which tell when it begins.
    public static let headBytes = 11
    /// Chunks that are loaded at once: no more are in memory, and one page of points rarely needs more.
    static let chunksPerLoad = 12

    /// The chunks in the order of time.
    private let chunks: [(id: Int, start: Timestamp)]

    /// - Parameter heads: at least the first `headBytes` bytes of every chunk, or all when it has fewer, by chunk.
    public init(heads: [Int: [UInt8]]) throws(RouteTrackError) {
        var chunks: [(id: Int, start: Timestamp)] = []
        for (id, bytes) in heads {
            do { chunks.append((id, try RouteChunkCoding.start(of: bytes))) } catch { throw .malformedChunk(id) }
        }
        self.chunks = chunks.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    /// - Parameter load: gives the bytes of these chunks.
    ///
    /// Throws what `load` throws, and `RouteTrackError` when the chunks are not what a track has written. A question
    /// that is not about points gets `.unknown`.
    public func answer(_ question: FetchQuestion, load: ([Int]) throws -> [Int: [UInt8]]) throws -> FetchAnswer {
        switch question {
        case .routePoints(_, let from, let to, let limit):
            var page = RoutePointPage(from: from, to: to, limit: limit)
            try read(from: from, load) { page.append($0) }
            return page.answer
        case .routeSpeed(_, let from, let to):
            var span = RouteSpan(from: from, to: to)
            // An interval without length has no speed, whatever the points are.
            if from < to { try read(from: from, load) { span.append($0) } }
            return .speed(span.speed)
        case .route, .routes, .workouts, .unknown: return .unknown
        }
    }

    /// Gives `take` the points chunk by chunk, from the chunk that holds `time`, or would, until `take` returns false.
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
    /// The time of the chunk's first point, which its first bytes tell.
    static func start(of bytes: [UInt8]) throws(ProtoError) -> Timestamp {
        guard bytes.first == format else { throw .malformed }
        var position = 1
        return Timestamp(microseconds: Int64(bitPattern: try difference(in: bytes, at: &position)))
    }
}
