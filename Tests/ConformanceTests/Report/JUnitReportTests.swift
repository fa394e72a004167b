import Conformance
import Testing

@Suite("JUnitReport") struct JUnitReportTests {
    @Test("A report counts its cases, says what was measured, and escapes what XML must")
    func text() {
        let skipped = CaseResult(rule: "G1", title: "t", outcome: .skipped("needs --terminate-server"), seconds: 0)
        let failed = CaseResult(rule: "P2", title: "a < b & \"c\"", outcome: .failed("x\ny"), seconds: 1.2345)
        let xml = JUnitReport([skipped, failed]).text
        #expect(xml.contains("name=\"a &lt; b &amp; &quot;c&quot;\" time=\"1.234\"><failure message=\"x&#10;y\"/>"))
        #expect(xml.contains("tests=\"2\" failures=\"1\" skipped=\"1\""))
        let timed = CaseResult(rule: "A3", title: "t", outcome: .passed, seconds: 1, measuredSeconds: 0.0421)
        #expect(JUnitReport([timed]).text.contains("<system-out>measured 0.042 s</system-out>"))
    }
}
