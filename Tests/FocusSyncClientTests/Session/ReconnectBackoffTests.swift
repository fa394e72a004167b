import FocusSyncClient
import SeededNumbers
import Testing

@Suite("ReconnectBackoff")
struct ReconnectBackoffTests {
    @Test("L5: full jitter under a ceiling that doubles to its bound, and starts again after a success")
    func ceilings() {
        var random = SplitMix64(seed: 4)
        var backoff = ReconnectBackoff(ceiling: 100...1_000)
        for ceiling in [100, 200, 400, 800, 1_000, 1_000] as [Int64] {
            var copies = (0..<200).map { _ in
                var copy = backoff
                return copy.next(within: nil, using: &random)
            }
            copies.sort()
            #expect(copies.last.map { $0 <= ceiling && $0 > ceiling / 2 } == true)
            #expect(copies.first.map { $0 < ceiling / 4 } == true)
            _ = backoff.next(within: nil, using: &random)
        }
        backoff.succeeded()
        #expect(backoff.next(within: nil, using: &random) <= 100)
    }

    @Test("L5: bounds that the server named are kept")
    func bounds() {
        var random = SplitMix64(seed: 5)
        var backoff = ReconnectBackoff()
        for _ in 0..<100 { #expect((500...5_000).contains(backoff.next(within: 500...5_000, using: &random))) }
    }
}
