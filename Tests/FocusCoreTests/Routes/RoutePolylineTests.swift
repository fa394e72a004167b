import Foundation
import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct RoutePolylineTests {
    private func points(_ places: [(Double, Double)]) -> [RoutePoint] {
        places.enumerated().map { index, place in
            RoutePoint(time: RouteFixtures.time(Double(index)), latitude: place.0, longitude: place.1)
        }
    }

    /// Decodes Google's format, independently of the encoder.
    static func decode(_ text: String) -> [(latitude: Double, longitude: Double)] {
        var values: [Int] = []
        var (value, shift) = (0, 0)
        for byte in text.utf8 {
            let bits = Int(byte) - 63
            value |= (bits & 31) << shift
            shift += 5
            if bits < 32 {
                values.append(value & 1 == 1 ? ~(value >> 1) : value >> 1)
                (value, shift) = (0, 0)
            }
        }
        var (latitude, longitude) = (0, 0)
        return stride(from: 0, to: values.count - 1, by: 2).map { index in
            latitude += values[index]
            longitude += values[index + 1]
            return (Double(latitude) / 1e5, Double(longitude) / 1e5)
        }
    }

    @Test("R5: the polyline is Google's own example")
    func googleExample() {
        let line = RoutePolyline(points([(38.5, -120.2), (40.7, -120.95), (43.252, -126.453)]))
        #expect(line == RoutePolyline(encoded: "_p~iF~ps|U_ulLnnqC_mqNvxq`@", errorMetres: 5))
    }

    @Test("R5: no point is more than 5 m from the decoded line, which is far shorter", arguments: 1...6)
    func error(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var walk = RouteFixtures.walk(3_000, using: &random)
        // The walk is moved to another latitude for each seed, and a straight line follows it.
        for index in walk.indices { walk[index].latitude += [0, -46, -90, 15, 30, 38][Int(seed) - 1] }
        let straight = (0..<2_000).map { index in
            RoutePoint(
                time: walk[2_999].time.adding(microseconds: Int64(index + 1)),
                latitude: walk[2_999].latitude + Double(index) * 7e-5,
                longitude: walk[2_999].longitude + Double(index) * 1e-4)
        }
        let route = walk + straight
        let line = RoutePolyline(route)
        let vertices = Self.decode(line.encoded)
        #expect(vertices.count < route.count / 4, "seed \(seed)")
        #expect(Self.worstDistance(of: route, from: vertices) <= 5, "seed \(seed)")
    }

    /// The greatest distance in metres of any point from the line, in a plane around the point; the line is straight in
    /// degrees, as maps draw it.
    private static func worstDistance(of points: [RoutePoint], from line: [(latitude: Double, longitude: Double)])
        -> Double
    {
        var worst = 0.0
        for point in points {
            let east = 111_320 * cos(point.latitude * .pi / 180)
            let plane = line.map { (($0.longitude - point.longitude) * east, ($0.latitude - point.latitude) * 111_300) }
            var nearest = Double.infinity
            for (a, b) in zip(plane, plane.dropFirst()) {
                let (dx, dy) = (b.0 - a.0, b.1 - a.1)
                let along = max(0, min(1, -(a.0 * dx + a.1 * dy) / (dx * dx + dy * dy)))
                nearest = min(nearest, hypot(a.0 + along * dx, a.1 + along * dy))
            }
            worst = max(worst, nearest)
        }
        return worst
    }

    @Test("R5: lines of no, one and equal points")
    func small() {
        #expect(RoutePolyline(points([])).encoded == "")
        #expect(Self.decode(RoutePolyline(points([(46.05, 14.5)])).encoded).map(\.latitude) == [46.05])
        #expect(Self.decode(RoutePolyline(points([(1, 2), (1, 2), (1, 2)])).encoded).count == 1)
    }

    @Test("R5: a line across the antimeridian needs no detour")
    func antimeridian() {
        let places = (0...400).map { index -> (Double, Double) in
            let longitude = 179.98 + Double(index) * 1e-4
            return (-17, longitude > 180 ? longitude - 360 : longitude)
        }
        #expect(Self.decode(RoutePolyline(points(places)).encoded).count < 10)
    }

    @Test("R5: a line that would be too long is coarser and says how much")
    func bound() {
        var random = SplitMix64(seed: 3)
        let places = (0..<2_000).map { _ in
            (Double.random(in: -80...80, using: &random), Double.random(in: -180...180, using: &random))
        }
        let line = RoutePolyline(points(places), maximumVertices: 100)
        #expect(Self.decode(line.encoded).count <= 100 && line.errorMetres > 5)
    }

    @Test("R5: the work is bounded: no stretch is longer than a block, however straight the line")
    func boundedBlocks() {
        // First a centimetre apart, so that a block ends by its number of points; then 10 m apart, so that it ends by
        // its length.
        let steps = [(5_000, 1e-7), (5_000, 1e-4)]
        for (count, step) in steps {
            let vertices = (0..<count).map { CartesianPosition(latitude: 10 + Double($0) * step, longitude: 10) }
            let kept = LineSimplifier(tolerance: 4, maximumLength: 2_000).simplify(vertices)
            #expect(kept.first == 0 && kept.last == count - 1)
            for (a, b) in zip(kept, kept.dropFirst()) {
                #expect(b - a <= LineSimplifier.maximumBlock)
                #expect(vertices[a].distanceSquared(to: vertices[b]) <= 2_000 * 2_000)
            }
        }
    }
}
