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

    @Test("A histogram is cumulative, and its last bucket has everything")
    func histogram() {
        let family = MetricFamily.histogram(
            "focus_a_seconds", "A.", bounds: [0.25, 1],
            [.init([1, 0, 2], sum: 7.5), .init([0, 3, 0], sum: 2, ("lane", "1"))])
        let text = MetricFamily.text([family])
        #expect(Exposition(text).flaws == [])
        #expect(
            text == """
                # HELP focus_a_seconds A.
                # TYPE focus_a_seconds histogram
                focus_a_seconds_bucket{le="0.25"} 1
                focus_a_seconds_bucket{le="1"} 1
                focus_a_seconds_bucket{le="+Inf"} 3
                focus_a_seconds_sum 7.5
                focus_a_seconds_count 3
                focus_a_seconds_bucket{lane="1",le="0.25"} 0
                focus_a_seconds_bucket{lane="1",le="1"} 3
                focus_a_seconds_bucket{lane="1",le="+Inf"} 3
                focus_a_seconds_sum{lane="1"} 2
                focus_a_seconds_count{lane="1"} 3

                """)
    }

    @Test("What is no exposition is found out: the checks can fail")
    func flaws() {
        let good = "# HELP focus_a_total A.\n# TYPE focus_a_total counter\nfocus_a_total{code=\"x\"} 1\n"
        #expect(Exposition(good).flaws == [])
        for (old, new) in [
            ("# HELP focus_a_total A.\n", ""), ("counter", "gauge"), ("focus_a_total", "focus_a"), ("} 1", "} one"),
            ("\"x\"", "x"), ("{code", "{code=\"x\",code"), ("focus_a_total", "focus_ms_total"), ("focus_", "other_"),
            (" 1\n", " 1"), ("focus_a_total{code=\"x\"} 1\n", "focus_a_total 1\nfocus_a_total 1\n"),
        ] {
            #expect(Exposition(good.replacing(old, with: new)).flaws != [], "\(new)")
        }
    }
}
