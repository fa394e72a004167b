import Testing

@testable import Answers

@Suite struct BlockChartTests {
    private func lines(_ values: [Double?], height: Int = 2, base: Double? = nil) -> [String] {
        BlockChart(values: values, height: height, base: base) { "\(Int($0))" }.lines
    }

    @Test("A column's height is its value's part of the range, in eighths; the least shows too")
    func heights() {
        #expect(lines([0, 4, 8, 12, 16]) == ["16 ┤   ▄█", " 0 ┤▁▄███"])
        #expect(lines([100, 116]) == ["116 ┤ █", "100 ┤▁█"])
        #expect(lines([8, 16], base: 0) == ["16 ┤ █", " 0 ┤██"])
        #expect(lines([-8, 8], base: 0) == [" 8 ┤ █", "-8 ┤▁█"])
    }

    @Test("Values that are not known leave their columns empty; equal ones fill them")
    func gaps() {
        #expect(lines([nil, 3, nil, 3]) == ["3 ┤ █ █", "3 ┤ █ █"])
        #expect(lines([nil, nil]) == [] && lines([]) == [])
        #expect(lines([5], height: 1) == ["5 ┤█"])
    }

    @Test("A chart is as wide as its terminal")
    func width() {
        for width in [20, 80, 203] {
            let columns = BlockChart.columns(width: width, margin: 7)
            let values = [Double?](repeating: 1_234, count: columns)
            let chart = BlockChart(values: values, base: 0, margin: 7) { "\(Int($0))" }
            #expect(chart.lines.allSatisfy { $0.count == width })
        }
        #expect(BlockChart.columns(width: 0, margin: 7) == 10)
    }
}
