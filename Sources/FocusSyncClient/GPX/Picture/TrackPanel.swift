import FocusCore

/// The map of a picture: the track in the colours of its speed, its kilometres, and a scale.
struct TrackPanel {
    /// Corners that are drawn at most: it bounds the picture's size, whatever the route's.
    static let cornerLimit = 8_000
    /// A line over a longer time without points is dashed: nobody knows what the way was.
    private static let gapMicroseconds: Int64 = 120_000_000
    /// The speed at a corner is that of so much time around it: single segments say more of the receiver than of the
    /// way.
    private static let speedMicroseconds: Int64 = 10_000_000
    private static let padding = 28.0
    /// Kilometre marks at most.
    private static let markLimit = 12

    let box: PictureBox
    let route: RouteExport
    let distances: RouteDistances
    let colors: SpeedColors
    private let projection: TrackProjection

    init(_ route: RouteExport, _ distances: RouteDistances, _ colors: SpeedColors, in box: PictureBox) {
        (self.route, self.distances, self.colors, self.box) = (route, distances, colors, box)
        let inner = PictureBox(
            left: box.left + Self.padding, top: box.top + Self.padding, width: box.width - 2 * Self.padding,
            height: box.height - 2 * Self.padding)
        projection = TrackProjection(route.points, into: inner)
    }

    func draw(on drawing: inout SVGDrawing) {
        drawing.rectangle(box, "panel")
        drawTrack(on: &drawing)
        drawKilometres(on: &drawing)
        if let first = projection.points.first { drawing.circle(first, radius: 5, "place") }
        if let last = projection.points.last { drawing.circle(last, radius: 5, "end") }
        drawScale(on: &drawing)
        drawLegend(on: &drawing)
    }

    // MARK: The track

    /// A part of the track that is drawn as one line.
    private struct Part: Equatable {
        var isGap: Bool
        var color: Int

        var style: String { isGap ? "gap" : PictureStyle.speedClass(color) }
    }

    private func drawTrack(on drawing: inout SVGDrawing) {
        let corners = corners
        guard corners.count > 1 else { return }
        drawing.line(corners.lazy.map { projection.points[$0] }, "casing")
        var line = [projection.points[corners[0]]]
        var drawn: Part?
        for (from, to) in zip(corners, corners.dropFirst()) {
            let part = part(from, to)
            if let last = drawn, last != part {
                drawing.line(line, last.style)
                line = line.suffix(1)
            }
            drawn = part
            line.append(projection.points[to])
        }
        if let drawn { drawing.line(line, drawn.style) }
    }

    /// The points at which the line is drawn to turn: those that are farther from the one before than a part of a pixel,
    /// which is so large that they are few enough.
    private var corners: [Int] {
        guard let last = projection.points.indices.last else { return [] }
        var distance = 0.7
        while true {
            var kept = [0]
            for index in projection.points.indices.dropFirst() {
                let (a, b) = (projection.points[kept[kept.count - 1]], projection.points[index])
                if index == last || (a.x - b.x).magnitude + (a.y - b.y).magnitude >= distance { kept.append(index) }
            }
            guard kept.count > Self.cornerLimit else { return kept }
            distance *= 1.5
        }
    }

    private func part(_ from: Int, _ to: Int) -> Part {
        let (start, end) = (route.points[from].time, route.points[to].time)
        let isGap = to == from + 1 && end.microseconds(since: start) > Self.gapMicroseconds
        guard let first = route.points.first?.time, let last = route.points.last?.time else {
            return Part(isGap: isGap, color: 0)
        }
        let speed = distances.speed(
            from: max(first, start.adding(microseconds: -Self.speedMicroseconds)),
            to: min(last, end.adding(microseconds: Self.speedMicroseconds)))
        return Part(isGap: isGap, color: isGap ? 0 : colors.index(speed ?? 0))
    }

    // MARK: Marks

    private func drawKilometres(on drawing: inout SVGDrawing) {
        let kilometres = distances.total / 1_000
        let step = max(1, PictureScale.round(max(kilometres, 0.001) / Double(Self.markLimit)))
        for kilometre in stride(from: step, through: kilometres, by: step).prefix(Self.markLimit) {
            guard let place = place(at: kilometre * 1_000) else { continue }
            drawing.circle(place, radius: 3, "place")
            drawing.label(
                PictureScale.text(kilometre, step: step), at: PicturePoint(place.x + 6, place.y - 5), "halo")
        }
    }

    /// Where the route is after so many metres.
    private func place(at metres: Double) -> PicturePoint? {
        guard let time = distances.time(reaching: metres),
            let next = route.points.firstIndex(where: { $0.time >= time })
        else { return nil }
        guard next > 0 else { return projection.points.first }
        let (a, b) = (projection.points[next - 1], projection.points[next])
        let start = route.points[next - 1].time
        let length = Double(max(1, route.points[next].time.microseconds(since: start)))
        let fraction = Double(time.microseconds(since: start)) / length
        return PicturePoint(a.x + (b.x - a.x) * fraction, a.y + (b.y - a.y) * fraction)
    }

    private func drawScale(on drawing: inout SVGDrawing) {
        let most = box.width / 5 / projection.pixelsPerMetre
        let metres = PictureScale.round(most / 2.5)
        let length = metres * projection.pixelsPerMetre
        let (left, foot) = (box.left + 12, box.bottom - 12)
        drawing.line(
            [
                PicturePoint(left, foot - 4), PicturePoint(left, foot), PicturePoint(left + length, foot),
                PicturePoint(left + length, foot - 4),
            ], "axis")
        let text = metres >= 1_000 ? "\(SVGDrawing.number(metres / 1_000)) km" : "\(SVGDrawing.number(metres)) m"
        drawing.label(text, at: PicturePoint(left + length + 6, foot), "small")
        drawing.label("N ↑", at: PicturePoint(box.left + 12, box.top + 20), "small")
    }

    private func drawLegend(on drawing: inout SVGDrawing) {
        let width = 18.0
        let count = PictureStyle.speedColors.count
        let left = box.right - 12 - width * Double(count)
        for index in 0..<count {
            let place = PictureBox(left: left + width * Double(index), top: box.bottom - 20, width: width, height: 8)
            drawing.rectangle(place, "f\(index)")
        }
        let speeds = [colors.slow, colors.fast].map { SVGDrawing.number($0 * 3.6) }
        drawing.label("\(speeds[0])", at: PicturePoint(left - 6, box.bottom - 12), "small", .end)
        drawing.label(
            "\(speeds[1]) km/h", at: PicturePoint(box.right - 12, box.bottom - 26), "small", .end)
    }
}
