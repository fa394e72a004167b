import Testing

@testable import FocusCore

/// How tables place texts.
@Suite struct ByteTextTests {
    @Test("Keys that come in the order of one table spread over another: where they gather, each is compared with many")
    func tableHash() {
        let count = 4_096
        let texts = (0..<count).map { ByteText.hash("com.example.app\($0)") }
        for (seed, other) in [(0, 1), (1, 2), (0, 1 << 40), (-1, 12_345)] {
            // The first quarter of one table of twice as many places, as far as another of half as many is filled.
            let first = texts.filter { ByteText.tableHash($0, seed) & (2 * count - 1) < count / 2 }
            let quarters = first.reduce(into: [Int](repeating: 0, count: 4)) {
                $0[(ByteText.tableHash($1, other) & (count / 2 - 1)) / (count / 8)] += 1
            }
            // Independent places put a quarter of about a thousand in each: within 11 standard deviations.
            #expect(quarters.allSatisfy { $0 > 110 && $0 < 420 }, "seeds \(seed) and \(other): \(quarters)")
        }
    }

    @Test("Texts are equal by their bytes, not by what they mean, and are ordered by them")
    func bytes() {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(ByteText(composed) != ByteText(decomposed) && ByteText(decomposed) < ByteText(composed))
        #expect(ByteText("z") < ByteText(composed) && ByteText("") < ByteText("\u{0}"))
    }
}
