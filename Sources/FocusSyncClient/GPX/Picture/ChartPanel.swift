import FocusCore

/// A curve over the distance, with both axes.
struct ChartPanel {
    private static let limit = 1e6

    let box: PictureBox
    let title: String
    /// The values of stretches of equal length; nil where there is none.
    let values: [Double?]
    /// Kilometres at the right end.
    let kilometres: Double
    /// The value at the bottom; nil: a round number below the least.
    let base: Double?
    /// A value that a dashed line shows.
    var mean: Double?
    /// Whether the ground below the curve is filled.
    let isFilled: Bool

    /// A device may send any number as an altitude; what is no height of anything is left out.
    private func drawable(_ value: Double?) -> Double? {
        guard let value, value.magnitude < Self.limit else { return nil }
        return value
    }

    func draw(on drawing: inout SVGDrawing) {
        drawing.label(title, at: PicturePoint(box.left, box.top - 14), "quiet")
        let known = values.compactMap(drawable)
        guard let least = known.min(), let greatest = known.max() else { return }
        let low = min(base ?? least, least)
        // Ground that is nearly level shall not look like mountains.
        let high = max(greatest, low + (base == nil ? 10 : 1))
        let vertical = PictureScale(from: low, to: high, on: (box.bottom, box.top), marks: 4, isWidened: true)
        let horizontal = PictureScale(
            from: 0, to: kilometres, on: (box.left + 44, box.right), marks: 10, isWidened: false)
        drawAxes(vertical, horizontal, on: &drawing)
        drawCurve(vertical, horizontal, on: &drawing)
    }

    private func drawAxes(_ vertical: PictureScale, _ horizontal: PictureScale, on drawing: inout SVGDrawing) {
        for mark in vertical.marks {
            let y = vertical.pixel(mark)
            drawing.line([PicturePoint(horizontal.pixels.0, y), PicturePoint(horizontal.pixels.1, y)], "grid")
            drawing.label(vertical.text(mark), at: PicturePoint(horizontal.pixels.0 - 6, y + 4), "small", .end)
        }
        for mark in horizontal.marks {
            let x = horizontal.pixel(mark)
            drawing.line([PicturePoint(x, box.bottom), PicturePoint(x, box.bottom + 4)], "axis")
            drawing.label(horizontal.text(mark), at: PicturePoint(x, box.bottom + 17), "small", .middle)
        }
        drawing.line(
            [PicturePoint(horizontal.pixels.0, box.bottom), PicturePoint(horizontal.pixels.1, box.bottom)], "axis")
    }

    private func drawCurve(_ vertical: PictureScale, _ horizontal: PictureScale, on drawing: inout SVGDrawing) {
        let width = (horizontal.pixels.1 - horizontal.pixels.0) / Double(max(1, values.count))
        let curve = values.enumerated().compactMap { index, value -> PicturePoint? in
            guard let value = drawable(value) else { return nil }
            return PicturePoint(horizontal.pixels.0 + (Double(index) + 0.5) * width, vertical.pixel(value))
        }
        if isFilled, let first = curve.first, let last = curve.last {
            drawing.polygon(
                [PicturePoint(first.x, box.bottom)] + curve + [PicturePoint(last.x, box.bottom)], "area")
        }
        if let mean = drawable(mean), mean <= vertical.values.1 {
            let y = vertical.pixel(mean)
            drawing.line([PicturePoint(horizontal.pixels.0, y), PicturePoint(horizontal.pixels.1, y)], "mean")
        }
        drawing.line(curve, "curve")
    }
}
