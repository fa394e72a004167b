import Foundation
import SeededNumbers
import Testing

@testable import FocusCore

@Suite struct TrigonometryTests {
    @Test("R5: sine and cosine are within two units in the last place of the C library's", arguments: [1])
    func sinCos(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let degrees = Double.random(in: -180...180, using: &random)
            let radians = degrees * .pi / 180
            let (sin, cos) = Trigonometry.sinCos(degrees: degrees)
            let (s, c) = Trigonometry.sinCos(radians: radians)
            #expect(abs(sin - Foundation.sin(radians)) < 8e-16 && abs(cos - Foundation.cos(radians)) < 8e-16)
            #expect(abs(s - Foundation.sin(radians)) < 4.5e-16 && abs(c - Foundation.cos(radians)) < 4.5e-16)
        }
    }

    @Test("R5: quarters of a turn are exact")
    func quarters() {
        let expected: [Double: (Double, Double)] = [0: (0, 1), 90: (1, 0), 180: (0, -1), -90: (-1, 0), -180: (0, -1)]
        for (degrees, (sin, cos)) in expected {
            let result = Trigonometry.sinCos(degrees: degrees)
            #expect(result.sin == sin && result.cos == cos)
        }
    }

    @Test("R5: small angles keep all their digits")
    func smallAngles() {
        for x in [1e-300, 1e-20, 1e-8, 1e-3] {
            #expect(abs(Trigonometry.atan2(x, 1) / Foundation.atan2(x, 1) - 1) < 3e-16)
            #expect(abs(Trigonometry.sinCos(radians: x).sin / Foundation.sin(x) - 1) < 3e-16)
        }
    }

    @Test("R5: the arctangent is right all around", arguments: [2])
    func arctangent(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let x = Double.random(in: -1...1, using: &random)
            let y = Double.random(in: -1...1, using: &random)
            #expect(abs(Trigonometry.atan2(y, x) - Foundation.atan2(y, x)) < 1e-15)
        }
        #expect(
            Trigonometry.atan2(0, -1) == .pi && Trigonometry.atan2(1, 0) == .pi / 2 && Trigonometry.atan2(0, 0) == 0)
    }

    @Test("R5: cube roots")
    func cubeRoot() {
        for x in [1e-300, 1e-9, 0.1, 1, 7, 27, 1e9, 1e300] {
            #expect(abs(Trigonometry.cubeRoot(x) / Foundation.cbrt(x) - 1) < 1e-15)
            #expect(Trigonometry.cubeRoot(-x) == -Trigonometry.cubeRoot(x))
        }
        #expect(Trigonometry.cubeRoot(0) == 0)
    }
}
