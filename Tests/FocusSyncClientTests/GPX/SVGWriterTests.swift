import FocusCore
import Foundation
import FoundationXML
import SeededNumbers
import Support
import Testing

@testable import FocusSyncClient

/// R8: a route as a picture.
@Suite struct SVGWriterTests {
    /// The elements of a picture, as an XML parser finds them.
    private final class Picture: NSObject, XMLParserDelegate {
        private(set) var elements: [(name: String, attributes: [String: String])] = []
        private(set) var texts: [String] = []
        private var isText = false

        init(_ svg: String) throws {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
            isText = name == "text"
            if isText { texts.append("") }
        }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            isText = false
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            if isText { texts[texts.count - 1] += string }
        }

        var classes: [String] { elements.compactMap { $0.attributes["class"] } }

        /// The corners of the lines of a class.
        func lines(_ style: String) -> [[(x: Double, y: Double)]] {
            elements.filter { $0.name == "polyline" && $0.attributes["class"] == style }.map { element in
                (element.attributes["points"] ?? "").split(separator: " ").map { corner in
                    let numbers = corner.split(separator: ",").compactMap { Double($0) }
                    return numbers.count == 2 ? (numbers[0], numbers[1]) : (.nan, .nan)
                }
            }
        }

        /// All places in the picture that anything has.
        var places: [(x: Double, y: Double)] {
            elements.flatMap { element -> [(x: Double, y: Double)] in
                let attributes = element.attributes
                func number(_ name: String) -> Double? { attributes[name].map { Double($0) ?? .nan } }
                let corners = (attributes["points"] ?? "").split(separator: " ").map { corner in
                    corner.split(separator: ",").map { Double($0) ?? .nan }
                }
                let places = [(number("x"), number("y")), (number("cx"), number("cy"))]
                return corners.map { ($0[0], $0[1]) }
                    + places.compactMap { x, y in x.flatMap { x in y.map { (x, $0) } } }
            }
        }
    }

    private func svg(_ points: [RoutePoint], smoothing: RouteSmoothing? = nil, id: String = "r") throws -> String {
        var text = ""
        SVGWriter.write(try RouteExport(GPXWriterTests.row(points, id: id), points), smoothing: smoothing, to: &text)
        return text
    }

    private func picture(_ points: [RoutePoint], smoothing: RouteSmoothing? = nil) throws -> Picture {
        let picture = try Picture(svg(points, smoothing: smoothing))
        #expect(picture.places.allSatisfy { (0...960).contains($0.x) && (0...912).contains($0.y) })
        return picture
    }

    /// Points eastwards along 46° N, each so many metres from the one before.
    private func way(_ metres: [Double], seconds: Double = 1, altitude: Double? = 300) -> [RoutePoint] {
        var (east, time) = (0.0, 0.0)
        return ([0] + metres).map { step in
            east += step
            defer { time += seconds }
            return RoutePoint(
                time: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(time * 1e6)), latitude: 46,
                longitude: 14 + east / 77_300, altitude: altitude ?? 0, horizontalAccuracy: 5,
                verticalAccuracy: altitude == nil ? -1 : 3)
        }
    }

    @Test("R8: the picture is well-formed, all of it is within its frame, and every style is in its sheet")
    func wellFormed() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let text = try svg(GPXWriterTests.points(seed), id: "a<b>&\"\u{1}é")
            let picture = try Picture(text)
            #expect(picture.elements.first?.name == "svg" && !text.contains("nan") && !text.contains("inf"))
            for style in Set(picture.classes) { #expect(PictureStyle.sheet.contains(".\(style) "), "\(style)") }
            #expect(picture.places.allSatisfy { (0...960).contains($0.x) && (0...912).contains($0.y) }, "seed \(seed)")
        }
    }

    @Test("R8: the track is coloured by speed, slow to fast")
    func colors() throws {
        let slow = Array(repeating: 1.0, count: 100)
        let picture = try picture(way(slow + slow.map { $0 * 4 }))
        let drawn = picture.classes.filter { $0.first == "v" }
        #expect(drawn.first == "v0" && drawn.last == "v8")
        // Along the way it gets faster only.
        #expect(drawn == drawn.sorted())
        #expect(picture.texts.contains("3.6") && picture.texts.contains("14.4 km/h"))
    }

    @Test("R8: over more than two minutes without a point the track is dashed")
    func gaps() throws {
        var points = way(Array(repeating: 10, count: 30), seconds: 10)
        #expect(try picture(points).lines("gap").isEmpty)
        for index in 10..<points.count {
            points[index].time = points[index].time.adding(microseconds: 110_000_000)
        }
        #expect(try picture(points).lines("gap").isEmpty)
        for index in 10..<points.count {
            points[index].time = points[index].time.adding(microseconds: 1)
        }
        let gaps = try picture(points).lines("gap")
        #expect(gaps.count == 1 && gaps.first?.count == 2)
    }

    @Test("R8: splits are bars, several kilometres in one where they are many")
    func splits() throws {
        let short = try picture(way(Array(repeating: 100, count: 25), seconds: 30))
        #expect(short.texts.contains("Splits, min/km") && short.texts.contains("4:59") && short.texts.contains("2.51"))
        let long = try picture(way(Array(repeating: 500, count: 400), seconds: 90))
        #expect(long.texts.contains("Splits of 12 km, min/km") && long.texts.contains("3:00"))
    }

    @Test("R8: across the antimeridian the track goes on")
    func antimeridian() throws {
        let points = way(Array(repeating: 100, count: 40)).map { point in
            var point = point
            point.longitude += 165.98
            if point.longitude > 180 { point.longitude -= 360 }
            return point
        }
        #expect(points.first!.longitude > 179 && points.last!.longitude < -179)
        for line in try picture(points).lines("casing") {
            #expect(zip(line, line.dropFirst()).allSatisfy { $1.x - $0.x > 0 && $1.x - $0.x < 20 })
        }
    }

    @Test("R8: one point, one place, no or endless altitudes are drawn too")
    func little() throws {
        #expect(try picture(way([])).lines("casing").isEmpty)
        _ = try picture(way(Array(repeating: 0, count: 10)))
        #expect(try picture(way([10, 10], altitude: nil)).texts.contains("No elevation was recorded"))
        for altitude in [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e9] {
            var points = way(Array(repeating: 10, count: 9))
            points[4].altitude = altitude
            _ = try picture(points)
        }
        var fast = way([10, 10])
        fast[2].longitude = -120
        fast[2].time = fast[1].time.adding(microseconds: 1)
        _ = try picture(fast)
    }

    @Test("R8: however many points a route has, its picture is small")
    func bounded() throws {
        var random = SplitMix64(seed: 3)
        let points = (0..<60_000).map { index in
            RoutePoint(
                time: Timestamp(microseconds: Int64(index) * 1_000_000),
                latitude: 46 + Double.random(in: 0...0.1, using: &random),
                longitude: 14 + Double.random(in: 0...0.1, using: &random), horizontalAccuracy: 5)
        }
        #expect(try svg(points).utf8.count < 1_500_000)
    }

    @Test("R8: smoothed, the track is another one and the figures are the same")
    func smoothed() throws {
        var random = SplitMix64(seed: 5)
        let points = way(Array(repeating: 3, count: 300)).map { point in
            var point = point
            point.latitude += Double.random(in: -5e-5...5e-5, using: &random)
            return point
        }
        let (before, after) = (try picture(points), try picture(points, smoothing: RouteSmoothing(seconds: 15)))
        let figures = { (picture: Picture) in picture.texts.filter { $0.contains("moving ") } }
        #expect(figures(before) == figures(after) && !figures(before).isEmpty)
        // The axis of kilometres, and the speeds along it.
        #expect(before.lines("curve").last.map { $0.map(\.y) } == after.lines("curve").last.map { $0.map(\.y) })
        func height(_ picture: Picture) -> Double {
            let corners = picture.lines("casing").flatMap(\.self)
            return zip(corners, corners.dropFirst()).reduce(0) { $0 + ($1.0.y - $1.1.y).magnitude }
        }
        #expect(height(after) < height(before) / 2)
    }

    @Test("Axes have round numbers, ascending, within their values")
    func scales() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<2_000 {
            let size = Double.random(in: -6...15, using: &random)
            let low = Double.random(in: -1...1, using: &random) * pow(10, size)
            let high = low + Double.random(in: 0...1, using: &random) * pow(10, size)
            let scale = PictureScale(
                from: low, to: high, on: (500, 20), marks: 5, isWidened: .random(using: &random))
            #expect(scale.marks.count <= 12 && zip(scale.marks, scale.marks.dropFirst()).allSatisfy(<))
            #expect(scale.marks.allSatisfy { (19...501).contains(scale.pixel($0)) })
            #expect(scale.values.0 <= low && scale.values.1 >= high - high.magnitude * 1e-9)
        }
        #expect(PictureScale.round(3) == 5 && PictureScale.round(0.2) == 0.2 && PictureScale.round(51) == 100)
        #expect(PictureScale.text(0.5, step: 0.1) == "0.5" && PictureScale.text(20, step: 5) == "20")
    }
}
