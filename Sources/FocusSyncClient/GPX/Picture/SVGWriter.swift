import FocusCore

/// Draws a route (rule R8): its track coloured by speed, elevation and speed over the distance, and its splits.
///
/// The picture is SVG 1.1, complete in itself, and follows the viewer's light or dark surrounding. Its size is bounded,
/// whatever the number of points. Its figures are the route's own; only places and elevations are smoothed.
public enum SVGWriter {
    private static let width = 960.0
    private static let height = 912.0
    /// Stretches of the curves.
    private static let stretches = 300

    /// - Parameter smoothing: how the track and the curves are smoothed; nil: not at all.
    public static func write(
        _ route: RouteExport, smoothing: RouteSmoothing? = nil, to target: inout some TextOutputStream
    ) {
        let drawn = smoothing.map(route.smoothed) ?? route
        // Kilometres and speeds are the route's own: a smoothed track is shorter.
        let distances = RouteDistances(route.points)
        let profile = RouteProfile(drawn.points, distances, count: stretches)
        let colors = SpeedColors(profile)
        var drawing = SVGDrawing()
        drawing.rectangle(PictureBox(left: 0, top: 0, width: width, height: height), "ground")
        drawHeader(route.row, isSmoothed: smoothing != nil, on: &drawing)
        let map = PictureBox(left: 24, top: 100, width: 620, height: 430)
        TrackPanel(drawn, distances, colors, in: map).draw(on: &drawing)
        let side = PictureBox(left: 660, top: 100, width: 276, height: 430)
        SplitsPanel(box: side, splits: route.row.aggregates.splits, colors: colors).draw(on: &drawing)
        drawCurves(route.row, profile, colors, distances.total, on: &drawing)
        write(drawing, PictureText.title(route.row), to: &target)
    }

    private static func drawHeader(_ row: RouteRow, isSmoothed: Bool, on drawing: inout SVGDrawing) {
        drawing.label(PictureText.title(row), at: PicturePoint(24, 40), "title")
        drawing.label(PictureText.time(row) + (isSmoothed ? ", smoothed" : ""), at: PicturePoint(24, 62), "quiet")
        drawing.label(PictureText.figures(row.aggregates), at: PicturePoint(24, 84), "text")
    }

    private static func drawCurves(
        _ row: RouteRow, _ profile: RouteProfile, _ colors: SpeedColors, _ metres: Double, on drawing: inout SVGDrawing
    ) {
        let altitudes = profile.stretches.map(\.altitude)
        let isLevel = altitudes.allSatisfy { $0 == nil }
        let elevation = PictureBox(left: 24, top: 572, width: 912, height: 130)
        ChartPanel(
            box: elevation, title: isLevel ? "No elevation was recorded" : "Elevation in m, over km",
            values: altitudes, kilometres: metres / 1_000, base: nil, isFilled: true
        ).draw(on: &drawing)
        // What a single jump of the receiver claims would press all else to the ground.
        let limit = colors.fast * 2
        let isCut = profile.stretches.contains { $0.speed > limit }
        ChartPanel(
            box: PictureBox(left: 24, top: 758, width: 912, height: 110),
            title: "Speed in km/h, over km; dashed: the mean while moving" + (isCut ? "; the highest are cut" : ""),
            values: profile.stretches.map { min($0.speed, limit) * 3.6 }, kilometres: metres / 1_000, base: 0,
            mean: row.aggregates.movingAverageSpeed * 3.6, isFilled: false
        ).draw(on: &drawing)
    }

    private static func write(_ drawing: SVGDrawing, _ title: String, to target: inout some TextOutputStream) {
        let size = (SVGDrawing.number(width), SVGDrawing.number(height))
        target.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" version="1.1" viewBox="0 0 \(size.0) \(size.1)" \
            width="\(size.0)" height="\(size.1)" role="img">
            <title>\(GPXWriter.escaped(title))</title>

            """)
        target.write(PictureStyle.sheet)
        target.write(drawing.text)
        target.write("</svg>\n")
    }
}
