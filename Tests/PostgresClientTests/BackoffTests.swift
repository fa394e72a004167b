import PostgresClient
import Testing

@Suite struct BackoffTests {
    @Test("full jitter: each wait is a fraction of a bound that doubles up to the cap")
    func doublesUpToCap() {
        var backoff = Backoff(base: .milliseconds(100), cap: .seconds(1)) { 1 }
        let waits = (0..<6).map { _ in backoff.next() }
        #expect(waits == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        backoff.reset()
        #expect(backoff.next() == .milliseconds(100))
    }

    @Test("a wild source of randomness cannot make a wait negative or longer than the bound")
    func cutsFraction() {
        var low = Backoff(base: .seconds(1), cap: .seconds(1)) { -3 }
        var high = Backoff(base: .seconds(1), cap: .seconds(1)) { 7 }
        #expect(low.next() == .zero)
        #expect(high.next() == .seconds(1))
    }

    @Test("many attempts do not overflow")
    func manyAttempts() {
        var backoff = Backoff(base: .seconds(60), cap: .seconds(90)) { 1 }
        for _ in 0..<200 { _ = backoff.next() }
        #expect(backoff.next() == .seconds(90))
    }
}
