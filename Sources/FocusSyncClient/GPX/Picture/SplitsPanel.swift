import FocusCore

/// How long each kilometre took, as bars; several kilometres in one bar where there are many.
struct SplitsPanel {
    /// Bars at most.
    static let limit = 18

    let box: PictureBox
    let splits: [RouteSplit]
    let colors: SpeedColors

    func draw(on drawing: inout SVGDrawing) {
        drawing.rectangle(box, "panel")
        let count = max(1, (splits.count + Self.limit - 1) / Self.limit)
        let title = count == 1 ? "Splits, min/km" : "Splits of \(count) km, min/km"
        drawing.label(title, at: PicturePoint(box.left + 12, box.top + 20), "quiet")
        let bars = stride(from: 0, to: splits.count, by: count).compactMap { first in
            Bar(splits.dropFirst(first).prefix(count), last: min(first + count, splits.count))
        }
        let slowest = bars.map(\.secondsPerKilometre).max() ?? 0
        let height = min(22, (box.height - 40) / Double(max(1, bars.count)))
        for (index, bar) in bars.enumerated() {
            draw(bar, slowest: slowest, top: box.top + 32 + height * Double(index), height: height, on: &drawing)
        }
    }

    private func draw(
        _ bar: Bar, slowest: Double, top: Double, height: Double, on drawing: inout SVGDrawing
    ) {
        let foot = top + height / 2 + 4
        drawing.label(bar.label, at: PicturePoint(box.left + 48, foot), "small", .end)
        let width = slowest > 0 ? (box.width - 130) * bar.secondsPerKilometre / slowest : 0
        drawing.rectangle(
            PictureBox(left: box.left + 56, top: top + 2, width: width, height: max(1, height - 4)),
            "f\(colors.index(bar.speed))")
        drawing.label(bar.pace, at: PicturePoint(box.left + 62 + width, foot), "text")
    }

    private struct Bar {
        /// The last kilometre, or how far the route goes.
        var label: String
        var secondsPerKilometre: Double
        var speed: Double

        /// Nil for splits of no length or time.
        init?(_ splits: ArraySlice<RouteSplit>, last: Int) {
            let metres = splits.reduce(0) { $0 + $1.distance }
            let seconds = splits.reduce(0) { $0 + Double($1.durationMicroseconds) / 1e6 }
            guard metres > 0, seconds > 0, metres.isFinite else { return nil }
            let isWhole = splits.last?.distance == RouteSplit.metres
            let kilometres = Double(last - 1) + (splits.last?.distance ?? 0) / RouteSplit.metres
            label = isWhole ? "\(last)" : PictureScale.text(kilometres, step: 0.01)
            secondsPerKilometre = seconds / metres * 1_000
            speed = metres / seconds
        }

        var pace: String { PictureText.clock(seconds: secondsPerKilometre) }
    }
}
