import SeededNumbers
import Testing

@testable import FocusCore

/// Points and speeds of a route without loading all of it, from chunks in memory and from stored ones.
@Suite("SealedRouteReader") struct SealedRouteReaderTests {
    private let route = AppItem(.chat, "r")

    /// A table of chunks that records which ones were read.
    private final class Table {
        let chunks: [Int: [UInt8]]
        private(set) var loaded: [Int] = []

        init(_ track: RouteTrack) {
            chunks = Dictionary(uniqueKeysWithValues: track.chunkIDs.map { ($0, track.chunk($0)!) })
        }

        func load(_ ids: [Int]) -> [Int: [UInt8]] {
            loaded += ids
            return chunks.filter { ids.contains($0.key) }
        }

        var reader: SealedRouteReader {
            get throws {
                try SealedRouteReader(heads: chunks.mapValues { Array($0.prefix(SealedRouteReader.headBytes)) })
            }
        }
    }

    private func track(_ count: Int, seed: UInt64, shuffled: Bool) -> RouteTrack {
        var random = SplitMix64(seed: seed)
        let points = RouteFixtures.walk(count, using: &random)
        var track = RouteTrack()
        if shuffled {
            for batch in RouteFixtures.batches(points, using: &random) { track.insert(batch) }
        } else {
            track.insert(points)
        }
        return track
    }

    @Test("R1: pages of stored chunks are the accepted points, however they arrived", arguments: [true, false])
    func points(shuffled: Bool) throws {
        let track = track(5_000, seed: 11, shuffled: shuffled)
        let all = track.points
        let table = Table(track)
        let reader = try table.reader
        for (first, last) in [(0, 4_999), (1_234, 1_234), (255, 2_600), (4_990, 4_999)] {
            var found: [RoutePoint] = []
            var next: Timestamp? = all[first].time
            while let from = next {
                let answer = try reader.answer(
                    .routePoints(route, from: from, to: all[last].time, limit: 700), load: table.load)
                guard case .points(let page, let following) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                found += page
                next = found.count <= all.count ? following : nil
            }
            #expect(found == Array(all[first...last]))
        }
        let whole = try reader.answer(.routePoints(route, from: nil, to: nil, limit: 0), load: table.load)
        #expect(whole == .points(Array(all.prefix(1_000)), next: all[1_000].time))
    }

    @Test("R1: a page of a 100,000-point route reads a dozen chunks, not all")
    func bounded() throws {
        let track = track(100_000, seed: 12, shuffled: false)
        let table = Table(track)
        let middle = track.points[50_000].time
        _ = try table.reader.answer(.routePoints(route, from: middle, to: nil, limit: 1_000), load: table.load)
        #expect(table.chunks.count > 380)
        #expect(table.loaded.count <= SealedRouteReader.chunksPerLoad)
        let before = table.loaded.count
        _ = try table.reader.answer(
            .routeSpeed(route, from: middle, to: track.points[50_100].time), load: table.load)
        #expect(table.loaded.count - before <= SealedRouteReader.chunksPerLoad)
    }

    @Test(
        "R6: speed over any interval is that of all points together, open or sealed", arguments: [true, false],
        [1, 2, 3] as [UInt64])
    func speed(shuffled: Bool, seed: UInt64) throws {
        let track = track(3_000, seed: seed, shuffled: shuffled)
        let table = Table(track)
        let reader = try table.reader
        let distances = track.distances
        let points = track.points
        let (first, last) = (points[0].time, points[2_999].time)
        var random = SplitMix64(seed: seed &+ 100)
        var moments = [first, last, first.adding(microseconds: -1), last.adding(microseconds: 1)]
        moments += (0..<20).map { _ in points.randomElement(using: &random)!.time }
        moments += (0..<20).map { _ in
            Timestamp(microseconds: Int64.random(in: first.microseconds...last.microseconds, using: &random))
        }
        for _ in 0..<400 {
            let (from, to) = (moments.randomElement(using: &random)!, moments.randomElement(using: &random)!)
            let expected = distances.speed(from: from, to: to)
            #expect(track.speed(from: from, to: to) == expected, "seed \(seed)")
            guard case .speed(let sealed) = try reader.answer(.routeSpeed(route, from: from, to: to), load: table.load)
            else {
                Issue.record("no speed")
                return
            }
            #expect((sealed == nil) == (expected == nil), "seed \(seed), \(from) to \(to)")
            if let sealed, let expected {
                #expect(abs(sealed - expected) <= 1e-9 * max(1, expected), "seed \(seed), \(from) to \(to)")
            }
        }
    }

    @Test("Chunks that are missing or damaged are told, not answered around")
    func damaged() throws {
        let table = Table(track(2_000, seed: 5, shuffled: false))
        let reader = try table.reader
        let question = FetchQuestion.routePoints(route, from: nil, to: nil, limit: 0)
        #expect(throws: RouteTrackError.inconsistent) { try reader.answer(question) { _ in [:] } }
        #expect(throws: RouteTrackError.malformedChunk(0)) {
            try reader.answer(question) { ids in Dictionary(uniqueKeysWithValues: ids.map { ($0, [1, 0]) }) }
        }
        #expect(throws: RouteTrackError.malformedChunk(3)) { try SealedRouteReader(heads: [3: []]) }
        #expect(throws: RouteTrackError.malformedChunk(3)) { try SealedRouteReader(heads: [3: [1, 0x80]]) }
    }
}
