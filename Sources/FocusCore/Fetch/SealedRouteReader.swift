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
        var search = search(for: question)
        while true {
            if let answer = try search.step(load: load) { return answer }
        }
    }

    /// Begins to answer a question. The caller may do something else between any two steps.
    public func search(for question: FetchQuestion) -> SealedRouteSearch {
        SealedRouteSearch(question, chunks)
    }
}

/// A question about a finished route that is answered step by step. A step reads a few chunks, so that a question about
/// a long route takes many short steps and not one long one.
public struct SealedRouteSearch: Sendable {
    private enum Gathered: Sendable {
        case page(RoutePointPage)
        case span(RouteSpan)
        case nothing(FetchAnswer)
    }

    private let chunks: [(id: Int, start: Timestamp)]
    /// The next chunk.
    private var position = 0
    private var gathered: Gathered

    fileprivate init(_ question: FetchQuestion, _ chunks: [(id: Int, start: Timestamp)]) {
        self.chunks = chunks
        let first: Timestamp?
        switch question {
        case .routePoints(_, let from, let to, let limit):
            first = from
            gathered = .page(RoutePointPage(from: from, to: to, limit: limit))
        case .routeSpeed(_, let from, let to):
            first = from
            // An interval without length has no speed, whatever the points are.
            gathered = from < to ? .span(RouteSpan(from: from, to: to)) : .nothing(.speed(nil))
        case .route, .routes, .workouts, .reach, .unknown:
            first = nil
            gathered = .nothing(.unknown)
        }
        // From the chunk that holds the time, or would.
        position = first.flatMap { time in chunks.lastIndex { $0.start <= time } } ?? 0
    }

    /// Reads the next chunks.
    /// - Parameter load: gives the bytes of these chunks.
    /// - Returns: the answer; nil when more chunks are to be read.
    ///
    /// Throws what `load` throws, and `RouteTrackError` when the chunks are not what a track has written.
    public mutating func step(load: ([Int]) throws -> [Int: [UInt8]]) throws -> FetchAnswer? {
        if case .nothing(let answer) = gathered { return answer }
        let some = chunks[position..<min(chunks.count, position + SealedRouteReader.chunksPerLoad)].map(\.id)
        position += some.count
        let loaded = some.isEmpty ? [:] : try load(some)
        for id in some {
            guard let bytes = loaded[id] else { throw RouteTrackError.inconsistent }
            guard let points = try? RouteChunkCoding.points(from: bytes) else {
                throw RouteTrackError.malformedChunk(id)
            }
            guard gather(points) else { return answer }
        }
        return position < chunks.count ? nil : answer
    }

    /// Adds the next points. Returns false when the rest does not matter.
    private mutating func gather(_ points: [RoutePoint]) -> Bool {
        switch gathered {
        case .page(var page):
            gathered = .nothing(.unknown)
            defer { gathered = .page(page) }
            return page.add(points)
        case .span(var span):
            defer { gathered = .span(span) }
            return span.add(points)
        case .nothing: return false
        }
    }

    private var answer: FetchAnswer {
        switch gathered {
        case .page(let page): page.answer
        case .span(let span): .speed(span.speed)
        case .nothing(let answer): answer
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
