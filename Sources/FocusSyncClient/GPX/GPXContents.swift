import FocusCore
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Collects a GPX file's tracks from the parser's events. Elements count only where GPX has them: a `time` inside an
/// extension is ignored.
final class GPXContents: NSObject, XMLParserDelegate {
    private(set) var file = GPXFile()
    private(set) var failure: GPXError?
    /// Whether the root element was closed.
    private(set) var isComplete = false

    /// Where in the file the parser is, as far as it matters for tracks.
    private enum Place { case outside, file, track, segment, point, text, ignored }

    private var places: [Place] = [.outside]
    private var track = GPXTrack()
    private var segment: [RoutePoint] = []
    private var text = ""
    private var latitude = 0.0
    private var longitude = 0.0
    private var elevation: Double?
    private var time: Timestamp?

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        let place = place(of: name)
        switch place {
        case .file: checkVersion(attributes, namespace: namespaceURI ?? "", parser)
        case .track: track = GPXTrack()
        case .segment: segment = []
        case .point:
            (elevation, time) = (nil, nil)
            latitude = coordinate("lat", attributes, limit: 90, parser)
            longitude = coordinate("lon", attributes, limit: 180, parser)
        case .text: text = ""
        case .outside: fail(.notGPX(root: name), parser)
        case .ignored: break
        }
        places.append(place)
    }

    /// What an element with this name means at the current place.
    private func place(of name: String) -> Place {
        switch (places[places.count - 1], name) {
        case (.outside, "gpx"): .file
        case (.outside, _): .outside
        case (.file, "trk"): .track
        case (.track, "trkseg"): .segment
        case (.segment, "trkpt"): .point
        case (.track, "name"), (.track, "type"), (.point, "time"), (.point, "ele"): .text
        default: .ignored
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if places.last == .text { text += string }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if places.last == .text { text += String(decoding: block, as: UTF8.self) }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard let place = places.popLast() else { return }
        switch place {
        case .file: isComplete = true
        case .track: if !track.segments.isEmpty { file.tracks.append(track) }
        case .segment: if !segment.isEmpty { track.segments.append(segment) }
        case .point: endPoint()
        case .text: store(text.trimmingCharacters(in: .whitespacesAndNewlines), as: name, parser)
        case .outside, .ignored: break
        }
    }

    private func endPoint() {
        guard let time else {
            file.pointsWithoutTime += 1
            return
        }
        segment.append(
            RoutePoint(
                time: time, latitude: latitude, longitude: longitude, altitude: elevation ?? 0,
                verticalAccuracy: elevation == nil ? -1 : 0))
    }

    /// Stores the text of an element. An empty element counts as absent.
    private func store(_ value: String, as name: String, _ parser: XMLParser) {
        guard !value.isEmpty else { return }
        switch name {
        case "name": track.name = value
        case "type": track.type = value
        case "time":
            time = Timestamp(rfc3339: value)
            if time == nil { fail(.invalidValue(line: parser.lineNumber, name: "time", value: value), parser) }
        default:
            guard let metres = Double(value) else {
                return fail(.invalidValue(line: parser.lineNumber, name: "elevation", value: value), parser)
            }
            // Some programs write NaN where they have none.
            elevation = metres.isFinite ? metres : nil
        }
    }

    private func coordinate(
        _ name: String, _ attributes: [String: String], limit: Double, _ parser: XMLParser
    ) -> Double {
        let value = attributes[name] ?? ""
        guard let degrees = Double(value), abs(degrees) <= limit else {
            fail(.invalidValue(line: parser.lineNumber, name: name, value: value), parser)
            return 0
        }
        return degrees
    }

    private func checkVersion(_ attributes: [String: String], namespace: String, _ parser: XMLParser) {
        // Old programs omit either the version or the namespace.
        let version = attributes["version"] ?? (namespace.hasSuffix("/GPX/1/0") ? "1.0" : "1.1")
        if version != "1.0", version != "1.1" { fail(.unsupportedVersion(version), parser) }
    }

    /// Fails now, because the parser's line number may be another one later.
    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        fail(.malformed(line: max(1, parser.lineNumber)), parser)
    }

    /// Keeps the first failure, which is the one to report, and stops the parser.
    private func fail(_ error: GPXError, _ parser: XMLParser) {
        guard failure == nil else { return }
        failure = error
        parser.abortParsing()
    }
}
