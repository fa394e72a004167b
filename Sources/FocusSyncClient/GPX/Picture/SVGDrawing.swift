/// The elements of a picture as SVG 1.1 text. Coordinates are written to a tenth of a pixel.
struct SVGDrawing {
    /// Where a text is anchored.
    enum Anchor: String { case start, middle, end }

    private(set) var text = ""

    /// A number as SVG reads it; 0 for what is none.
    static func number(_ value: Double) -> String {
        guard let tenths = Int(exactly: (value * 10).rounded()) else { return "0" }
        let (whole, rest) = (tenths.magnitude / 10, tenths.magnitude % 10)
        return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
    }

    /// - Parameter style: the element's class in the style sheet.
    mutating func rectangle(_ box: PictureBox, _ style: String) {
        text += "<rect class=\"\(style)\" x=\"\(Self.number(box.left))\" y=\"\(Self.number(box.top))\""
        text += " width=\"\(Self.number(box.width))\" height=\"\(Self.number(box.height))\"/>\n"
    }

    mutating func circle(_ center: PicturePoint, radius: Double, _ style: String) {
        text += "<circle class=\"\(style)\" cx=\"\(Self.number(center.x))\" cy=\"\(Self.number(center.y))\""
        text += " r=\"\(Self.number(radius))\"/>\n"
    }

    /// Straight lines from point to point.
    mutating func line(_ points: some Sequence<PicturePoint>, _ style: String) {
        text += "<polyline class=\"\(style)\" points=\""
        var isFirst = true
        for point in points {
            text += (isFirst ? "" : " ") + Self.number(point.x) + "," + Self.number(point.y)
            isFirst = false
        }
        text += "\"/>\n"
    }

    mutating func polygon(_ points: some Sequence<PicturePoint>, _ style: String) {
        let corners = points.map { Self.number($0.x) + "," + Self.number($0.y) }
        text += "<polygon class=\"\(style)\" points=\"\(corners.joined(separator: " "))\"/>\n"
    }

    /// Text on a line whose foot is at the point.
    mutating func label(_ label: String, at point: PicturePoint, _ style: String, _ anchor: Anchor = .start) {
        text += "<text class=\"\(style)\" x=\"\(Self.number(point.x))\" y=\"\(Self.number(point.y))\""
        if anchor != .start { text += " text-anchor=\"\(anchor.rawValue)\"" }
        text += ">\(GPXWriter.escaped(label))</text>\n"
    }
}

/// A place in the picture, in pixels from its left upper corner.
struct PicturePoint: Hashable {
    var (x, y): (Double, Double)

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
}

/// A part of the picture, in pixels.
struct PictureBox {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    var right: Double { left + width }
    var bottom: Double { top + height }
    var corner: PicturePoint { PicturePoint(left, top) }
}
