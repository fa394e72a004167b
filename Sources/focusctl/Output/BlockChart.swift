/// A curve in block characters, one column for each value, with the greatest and least value beside it.
struct BlockChart {
    /// Nil leaves its column empty.
    var values: [Double?]
    /// Lines of text.
    var height = 5
    /// Where the columns begin; the least value when nil.
    var base: Double?
    /// Columns for the labels; more when one is longer.
    var margin = 0
    /// What stands beside the top and the bottom line.
    var label: (Double) -> String

    /// Each eighth of a character's height.
    private static let blocks = Array(" ▁▂▃▄▅▆▇█")

    /// Top line first; none when there is no value. Every column that has a value shows at least an eighth.
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
            return max(1, Int(((value - bottom) / range * Double(8 * height)).rounded()))
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
