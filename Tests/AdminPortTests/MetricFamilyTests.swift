import Support
import Testing

@testable import AdminPort

@Suite("Metric families") struct MetricFamilyTests {
    @Test("Texts are escaped, whole numbers have no point, and what has no value is left out")
    func text() {
        let families = [
            MetricFamily(
                "focus_a_total", .counter, "One \\ and\ntwo.",
                [
                    MetricSample(3, ("code", "a\"b\\c\nd")), MetricSample(0.25, ("code", "x"), ("app", "y")),
                    MetricSample(.infinity, ("code", "z")),
                ]),
            .gauge("focus_b", "Unknown.", nil),
        ]
        let text = MetricFamily.text(families)
        #expect(
            text == """
                # HELP focus_a_total One \\\\ and\\ntwo.
                # TYPE focus_a_total counter
                focus_a_total{code="a\\"b\\\\c\\nd"} 3
                focus_a_total{code="x",app="y"} 0.25
                focus_a_total{code="z"} +Inf

                """)
        #expect(Exposition(text).flaws == [])
    }
}
