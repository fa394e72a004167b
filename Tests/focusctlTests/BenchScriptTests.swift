import Support
import Testing

/// The parts of `ops/bench` that can be tested without measuring.
@Suite("Benchmark scripts") struct BenchScriptTests {
    @Test("Intervals, pairs, processor time of ended children, and where programs are found: ops/lib/bench/tests.py")
    func tests() throws {
        let (status, text) = try Checkout.run(["python3", "ops/lib/bench/tests.py"])
        #expect(status == 0, "\(text)")
    }

    @Test(
        "What cannot be compared is refused before anything is built",
        arguments: [
            (["--against", "nowhere"], "there is no directory"),
            (["--against", "Schema"], "is no checkout and holds no focusd, focusctl, focus-bench"),
            (["B1"], "no lane B1; there are append, append-single, latency"),
        ])
    func refused(arguments: [String], message: String) throws {
        let (status, text) = try Checkout.run(["python3", "ops/lib/bench", "--check"] + arguments)
        #expect(status == 2)
        #expect(text.contains(message), "\(text)")
    }
}
