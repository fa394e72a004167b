/// A curve in block characters, one column for each value, with the greatest and least value beside it.
struct BlockChart {
    /// One value for each column; nil leaves the column empty.
    var values: [Double?]
    /// The height in lines of text.
    var height = 5
    /// The value at the bottom of the chart; nil: the least value.
    var base: Double?
    /// The least width of the labels, in columns; it grows when a label is longer.
    var margin = 0
    /// The label of a value, beside the top and the bottom line.
    var label: (Double) -> String

    /// A character for each eighth of a line's height.
    private static let blocks = Array(" ▁▂▃▄▅▆▇█")

    /// The chart's lines, the top line first; empty when there is no value. Every column that has a value shows at
    /// least an eighth.
    var lines: [String] {
        let known = values.compactMap { $0 }
        guard let least = known.min(), let greatest = known.max() else { return [] }
        let bottom = min(base ?? least, least)
        let range = greatest - bottom
        let labels = [label(greatest), label(bottom)]
        let margin = max(margin, labels.map(\.count).max() ?? 0)
        let eighths = values.map { value -> Int in
            guard let value else { return 0 }
            guard range > 0 else { return 8 * height }
            return max(1, Int(exactly: ((value - bottom) / range * Double(8 * height)).rounded()) ?? 0)
        }
        return (0..<height).map { line in
            let below = 8 * (height - 1 - line)
            let text = line == 0 ? labels[0] : line == height - 1 ? labels[1] : ""
            var curve = String(eighths.map { Self.blocks[min(8, max(0, $0 - below))] })
            while curve.last == " " { curve.removeLast() }
            return String(repeating: " ", count: margin - text.count) + text + " ┤" + curve
        }
    }

    /// How many columns fit into `width` beside a margin.
    static func columns(width: Int, margin: Int) -> Int { max(10, width - margin - 2) }
}
