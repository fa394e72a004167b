import Logging
import SeededNumbers
import Support
import Testing

@testable import focusd

/// Floods of lines take no more of the log than a few.
@Suite("FloodFold") struct FloodFoldTests {
    private func kind(_ message: String, _ level: Logger.Level = .info, code: String = "") -> FloodFold.Kind {
        FloodFold.Kind(level: level, message: message, code: code)
    }

    /// How many of so many lines of a kind are written at a moment.
    private func written(_ count: Int, _ kind: FloodFold.Kind, _ fold: inout FloodFold, now: Int64 = 0) -> Int {
        var written = 0
        for _ in 0..<count where fold.admit(kind, now: now) { written += 1 }
        return written
    }

    @Test("Of 4,361 lines of a kind 50 are written, and 4,311 told of when the window ends, and not before")
    func flood() {
        var fold = FloodFold()
        let first = written(4_000, kind("connected"), &fold, now: 1_000)
        let second = written(361, kind("connected"), &fold, now: 5_000)
        #expect(first + second == 50)
        let (before, after) = (fold.endWindows(now: 10_999), fold.endWindows(now: 11_000))
        #expect(before == [] && after == [FloodFold.Rest(kind: kind("connected"), count: 4_311)])
        let later = fold.endWindows(now: 30_000)
        #expect(later == [] && fold.count == 0)
        let third = written(1, kind("connected"), &fold, now: 31_000)
        #expect(third == 1)
    }

    @Test("Of a warning or worse five are written; another code or level is another kind")
    func kinds() {
        var fold = FloodFold()
        for level in [Logger.Level.warning, .error, .critical] {
            let count = written(20, kind("append failed", level), &fold)
            #expect(count == 5)
        }
        let few = written(20, kind("refused", code: "unauthenticated"), &fold)
        let many = written(60, kind("refused", code: "too_many"), &fold)
        #expect(few == 20 && many == 50)
    }

    @Test("The kinds of a window are bounded: those beyond share one for each level, and nothing is uncounted")
    func manyKinds() {
        var fold = FloodFold()
        var written = 0
        for number in 0..<5_000 where fold.admit(kind("\(number)"), now: 0) { written += 1 }
        #expect(fold.count == FloodFold.kinds + 1 && written == FloodFold.kinds + 50)
        let rests = fold.endWindows(now: 0, all: true)
        #expect(rests == [FloodFold.Rest(kind: kind(FloodFold.otherKinds), count: 5_000 - written)])
    }

    @Test("Every line is written or told of, whatever comes when", arguments: Seeds.fresh(50))
    func conserved(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var (fold, now, written, told) = (FloodFold(), Int64(0), 0, 0)
        let lines = 3_000
        for _ in 0..<lines {
            now += Int64(random.next() % 40)
            told += fold.endWindows(now: now).reduce(0) { $0 + $1.count }
            let level = Logger.Level.allCases[Int(random.next() % UInt64(Logger.Level.allCases.count))]
            if fold.admit(kind("\(random.next() % 400)", level), now: now) { written += 1 }
            #expect(fold.count <= FloodFold.kinds + Logger.Level.allCases.count)
        }
        told += fold.endWindows(now: now, all: true).reduce(0) { $0 + $1.count }
        #expect(written + told == lines)
    }
}
