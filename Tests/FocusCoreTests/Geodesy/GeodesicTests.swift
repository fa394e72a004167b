import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct GeodesicTests {
    struct Vector: Sendable {
        let a: GeodesicPosition
        let b: GeodesicPosition
        let metres: Double
    }

    static let vectors: [Vector] = geodesicVectors.split(separator: "\n").map { line in
        let numbers = line.split(separator: " ").compactMap { Double($0) }
        return Vector(
            a: GeodesicPosition(latitude: numbers[0], longitude: numbers[1]),
            b: GeodesicPosition(latitude: numbers[2], longitude: numbers[3]), metres: numbers[4])
    }

    /// The rounding error of GeographicLib itself, in metres.
    static let noise = 2e-9

    @Test("R5: distances are those of GeographicLib, from a millimetre to the antipode")
    func vectors() {
        #expect(Self.vectors.count > 200)
        for vector in Self.vectors {
            for (a, b) in [(vector.a, vector.b), (vector.b, vector.a)] {
                let metres = Geodesic.distance(from: a, to: b)
                #expect(abs(metres - vector.metres) <= 1e-9 * vector.metres + Self.noise, "\(vector)")
            }
        }
    }

    @Test(
        "R5: a route's distance is within 1e-6 of GeographicLib, at poles, antimeridian and equator, 1 mm to 20,000 km")
    func routes() {
        var (poles, antimeridian, equator, lengths) = (0, 0, 0, 0.0...0.0)
        for vector in Self.vectors {
            let points = [vector.a, vector.b].enumerated().map {
                RoutePoint(
                    time: RouteFixtures.time(Double($0.offset)), latitude: $0.element.latitude,
                    longitude: $0.element.longitude)
            }
            let metres = RouteFixtures.aggregates(points).distance
            // Below a millimetre the tolerance is that of a millimetre.
            let tolerance = 1e-6 * max(vector.metres, 0.000_999)
            #expect(abs(metres - vector.metres) <= tolerance, "\(vector)")
            guard vector.metres > 0.000_999 else { continue }
            lengths =
                min(
                    lengths.lowerBound == 0 ? 1 : lengths.lowerBound, vector.metres)...max(
                    lengths.upperBound, vector.metres)
            if max(abs(vector.a.latitude), abs(vector.b.latitude)) > 89.9 { poles += 1 }
            if abs(vector.a.longitude - vector.b.longitude) > 180 { antimeridian += 1 }
            if max(abs(vector.a.latitude), abs(vector.b.latitude)) < 0.01 { equator += 1 }
        }
        // The vectors cover the cases that the title names.
        #expect(poles > 15 && antimeridian > 8 && equator > 8)
        #expect(lengths.lowerBound < 0.001_01 && lengths.upperBound > 20_000_000)
    }

    @Test("R5: the general solution holds for short lines as well")
    func generalSolution() {
        for vector in Self.vectors {
            let metres = Geodesic.longDistance(from: vector.a, to: vector.b)
            #expect(abs(metres - vector.metres) <= 1e-12 * vector.metres + 2 * Self.noise, "\(vector)")
        }
    }

    @Test(
        "R5: the formula for short lines is within 1e-9 of the general solution up to its limit", arguments: [1, 2, 3])
    func shortLines(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var taken = 0
        for _ in 0..<20_000 {
            let latitude = Double.random(in: -90...90, using: &random)
            let a = GeodesicPosition(latitude: latitude, longitude: Double.random(in: -180...180, using: &random))
            let reach = Double.random(in: 0.0005...0.2, using: &random)
            let east = reach * Double.random(in: -1...1, using: &random) / max(0.001, a.cosLatitude)
            let b = GeodesicPosition(
                latitude: min(90, max(-90, latitude + reach * Double.random(in: -1...1, using: &random))),
                longitude: (a.longitude + east).remainder(dividingBy: 360))
            guard let short = Geodesic.shortDistance(from: a, to: b) else { continue }
            taken += 1
            let long = Geodesic.longDistance(from: a, to: b)
            #expect(abs(short - long) <= 1e-10 * long + 3 * Self.noise, "seed \(seed): \(a) \(b)")
        }
        #expect(taken > 15_000)
    }

    @Test("R5: the same distance there and back, and 0 to the same place", arguments: [4])
    func symmetry(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let places = (0..<2).map { _ in
                GeodesicPosition(
                    latitude: Double.random(in: -90...90, using: &random),
                    longitude: Double.random(in: -180...180, using: &random))
            }
            let there = Geodesic.distance(from: places[0], to: places[1])
            let back = Geodesic.distance(from: places[1], to: places[0])
            #expect(abs(there - back) <= 1e-7 && there <= 20_003_931.5, "seed \(seed): \(places)")
            #expect(Geodesic.distance(from: places[0], to: places[0]) == 0)
        }
    }

    @Test("R5: lines around the antipode end, and never exceed half the meridian", arguments: [5])
    func antipodes(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let latitude = Double.random(in: -90...90, using: &random)
            let spread = Double.random(in: 0...1.2, using: &random)
            let a = GeodesicPosition(latitude: latitude, longitude: 0)
            let b = GeodesicPosition(
                latitude: min(90, max(-90, -latitude + spread * Double.random(in: -1...1, using: &random))),
                longitude: 180 - spread * Double.random(in: 0...1, using: &random))
            let metres = Geodesic.distance(from: a, to: b)
            #expect(metres > 19_700_000 && metres < 20_003_931.46, "seed \(seed): \(a) \(b)")
        }
    }
}
