import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct ElevationAccumulatorTests {
    private func elevation(_ altitudes: [Double]) -> [Double] {
        var accumulator = ElevationAccumulator()
        for altitude in altitudes { accumulator.add(altitude) }
        return [accumulator.gain, accumulator.loss]
    }

    @Test(
        "R5: a change below 3 m does not count, 3 m does",
        arguments: [
            ([], 0.0, 0.0), ([100], 0, 0), ([100, 102.9], 0, 0), ([100, 103], 3, 0), ([103, 100], 0, 3),
            ([100.1, 103.1], 3, 0), ([100, 102.9, 100, 102.9, 100], 0, 0), ([100, 102, 99, 101, 98.5], 0, 3.5),
        ] as [([Double], Double, Double)])
    func threshold(altitudes: [Double], gain: Double, loss: Double) {
        let result = elevation(altitudes)
        #expect(abs(result[0] - gain) < 1e-9 && abs(result[1] - loss) < 1e-9)
    }

    @Test("R5: a steady climb counts in full, however small its steps, with noise on it or not")
    func steadyClimb() {
        #expect(elevation((0...100).map { Double($0) }) == [100, 0])
        #expect(elevation((0...1_000).map { Double($0) / 8 }) == [125, 0])
        let noisy = (0...100).map { Double($0) + ($0 % 2 == 0 ? 0 : 1.25) }
        #expect(elevation(noisy) == [100.25, 0])
    }

    @Test("R5: up and down count from turning point to turning point")
    func turningPoints() {
        #expect(elevation([0, 10, 8, 12, 5, 6, 4, 9]) == [17, 8])
        #expect(elevation([0, 2, -1, 2, 7, 7, 3]) == [8, 7])
    }

    @Test("R5: gain less loss is the way from the first turning point to the last", arguments: 1...5)
    func balance(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let altitudes = (0..<500).map { _ in Double(Int.random(in: 0...1_600, using: &random)) / 8 }
        let result = elevation(altitudes)
        let reverse = elevation(altitudes.reversed())
        #expect(result == [reverse[1], reverse[0]], "seed \(seed): backwards, gain is loss")
    }

    @Test("R5: gain and loss are the same in whatever runs the altitudes are added", arguments: 1...40)
    func runs(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let step = [0.4, 1.5, 4, 40][Int(seed) % 4]
        var (altitude, altitudes) = (100.0, [Double]())
        for _ in 0..<400 {
            altitude += Double.random(in: -step...step, using: &random)
            // Rounded altitudes, so that equal ones and changes of exactly 3 m occur.
            altitudes.append(seed % 3 == 0 ? altitude : altitude.rounded())
        }
        var whole = ElevationAccumulator()
        var joined = ElevationAccumulator()
        var (steadyRuns, rest) = (0, altitudes[...])
        while !rest.isEmpty {
            let run = rest.prefix(Int.random(in: 1...30, using: &random))
            rest = rest.dropFirst(run.count)
            var (next, swings) = (ElevationAccumulator(after: joined.state), AltitudeSwings())
            for altitude in run {
                whole.add(altitude)
                next.add(altitude)
                swings.add(altitude)
            }
            if let state = swings.steady(after: joined.state) {
                #expect(state == next.state, "seed \(seed)")
                steadyRuns += 1
                var quick = joined
                quick.add(swings, state)
                joined.join(next)
                #expect(quick == joined, "seed \(seed)")
            } else {
                joined.join(next)
            }
            #expect(joined == whole, "seed \(seed)")
        }
        #expect(joined.gain == whole.gain && joined.loss == whole.loss && joined.range == whole.range)
        #expect(steadyRuns > 0 || step > 3, "seed \(seed)")
    }

    @Test("R5: points whose altitude is unknown are passed over")
    func unknown() {
        let points = [100.0, nil, 110, nil, 104].enumerated().map {
            RouteFixtures.point(at: Double($0.offset), altitude: $0.element)
        }
        let aggregates = RouteFixtures.aggregates(points)
        #expect(aggregates.elevationGain == 10 && aggregates.elevationLoss == 6 && aggregates.altitude == 100...110)
        let none = RouteFixtures.aggregates([RouteFixtures.point(at: 0), RouteFixtures.point(at: 1)])
        #expect(none.altitude == nil && none.elevationGain == 0)
    }
}
