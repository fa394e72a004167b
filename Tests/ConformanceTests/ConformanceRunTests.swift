import Conformance
import Testing

@Suite("ConformanceRun") struct ConformanceRunTests {
    @Test("A case without what it needs is skipped, and says what it needs")
    func skips() async {
        let target = ConformanceTarget(
            server: .init(host: "127.0.0.1", port: 1), security: .plaintext, token: { _ in "" })
        let cases = Conformance.cases.filter { $0.rule == "G1" }
        let results = await ConformanceRun(cases, on: target).results()
        #expect(results.map(\.outcome) == [.skipped("needs --terminate-server")])
    }
}
