import FocusCore
import Testing

@testable import SyncServer

/// When bulk rests, by how long statements took.
@Suite struct BulkPaceTests {
    private var pace: BulkPace

    init() {
        var configuration = LaneConfiguration()
        (configuration.statementMilliseconds, configuration.bulkRestPerMillisecond) = (8, 4)
        configuration.bulkRestMilliseconds = 1_000
        pace = BulkPace(configuration)
    }

    /// How long bulk rests behind a statement.
    private mutating func rest(_ milliseconds: Int64, hasBulk: Bool = true, at now: Int64) -> Int64 {
        let now = MonotonicTime(milliseconds: now)
        pace.ended(milliseconds: milliseconds, hasBulk: hasBulk, now: now)
        return max(0, pace.restsUntil - now)
    }

    @Test(
        "Q1: bulk does not rest while statements are as short as they should be, and else by how much longer they are")
    mutating func excess() {
        let rests = [rest(3, at: 0), rest(8, at: 10), rest(10, at: 20)]
        #expect(rests == [0, 0, 8])
    }

    @Test("Q1: where every commit takes long, twice that is not too long")
    mutating func distantStandby() {
        let rests = [rest(50, at: 0), rest(100, at: 100), rest(105, at: 300)]
        #expect(rests == [0, 0, 20])
    }

    @Test("Q1: what was the least is forgotten after a while: a database may get slower for good")
    mutating func forgets() {
        _ = rest(3, at: 0)
        let soon = rest(40, at: 1_000)
        _ = (rest(40, at: 6_000), rest(40, at: 12_000))
        let later = rest(40, at: 12_500)
        #expect(soon == 128 && later == 0)
    }

    @Test("Q1: however slow all statements are, bulk goes on within a second of its last one")
    mutating func goesOn() {
        _ = rest(3, at: 0)
        let first = rest(2_000, at: 100)
        for now in stride(from: Int64(200), through: 1_000, by: 100) { _ = rest(2_000, hasBulk: false, at: now) }
        #expect(first == 1_000 && pace.restsUntil == MonotonicTime(milliseconds: 1_100))
    }
}
