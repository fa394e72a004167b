import FocusCore
import FocusSyncClient
import Foundation
import Testing

@Suite struct GPXReaderTests {
    private func read(_ text: String) throws(GPXError) -> GPXFile { try GPXReader.read(Data(text.utf8)) }

    private func failure(_ text: String) -> GPXError? {
        do { _ = try read(text) } catch { return error }
        return nil
    }

    private func gpx(_ body: String) -> String {
        #"<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">\#(body)</gpx>"#
    }

    private func track(_ points: String) -> String { gpx("<trk><trkseg>\(points)</trkseg></trk>") }

    @Test("R8: GPX 1.1 with tracks and segments; what is no track point is passed over")
    func tracks() throws {
        let file = try read(
            gpx(
                """
                <metadata><name>m</name><time>2001-01-01T00:00:00Z</time></metadata>
                <wpt lat="1" lon="2"><time>2001-01-01T00:00:00Z</time></wpt>
                <rte><rtept lat="1" lon="2"><time>2001-01-01T00:00:00Z</time></rtept></rte>
                <trk><name>Morning &amp; <![CDATA[<run>]]></name><type> running </type>
                <trkseg><trkpt lat="46.5" lon="14.25"><ele>300.5</ele><time>1970-01-01T00:00:01.5Z</time>
                <extensions><time>1999-01-01T00:00:00Z</time><x><ele>7</ele></x></extensions></trkpt></trkseg>
                <trkseg></trkseg>
                <trkseg><trkpt lat="-46.5" lon="-180"><time>1970-01-01T00:00:02Z</time><hdop>9</hdop></trkpt></trkseg>
                </trk>
                <trk><trkseg/></trk>
                """))
        let first = RoutePoint(
            time: Timestamp(microseconds: 1_500_000), latitude: 46.5, longitude: 14.25, altitude: 300.5,
            horizontalAccuracy: 0, verticalAccuracy: 0, speed: -1, course: -1)
        let second = RoutePoint(time: Timestamp(microseconds: 2_000_000), latitude: -46.5, longitude: -180)
        let track = GPXTrack(name: "Morning & <run>", type: "running", segments: [[first], [second]])
        #expect(file == GPXFile(tracks: [track]))
        #expect(file.points.allSatisfy { RouteFilter.reasonToDrop($0) == nil } && second.verticalAccuracy == -1)
    }

    @Test("R8: GPX 1.0, prefixed names, other encodings and a byte-order mark")
    func dialects() throws {
        let point = #"<trkpt lat="1" lon="2"><time>1970-01-01T00:00:01Z</time></trkpt>"#
        let old =
            #"<gpx version="1.0" xmlns="http://www.topografix.com/GPX/1/0"><trk><trkseg>\#(point)</trkseg></trk></gpx>"#
        let bare = "<gpx><trk><trkseg>\(point)</trkseg></trk></gpx>"
        let prefixed =
            #"<g:gpx version="1.1" xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:trkseg>"#
            + #"<g:trkpt lat="1" lon="2">"#
            + "<g:time>1970-01-01T00:00:01Z</g:time></g:trkpt></g:trkseg></g:trk></g:gpx>"
        for text in [old, bare, prefixed, "\u{FEFF}" + old] { #expect(try read(text).points.count == 1) }
        let latin =
            #"<?xml version="1.0" encoding="ISO-8859-1"?>"# + old.replacing("<trk>", with: "<trk><name>é</name>")
        let data = try #require(latin.data(using: .isoLatin1))
        #expect(try GPXReader.read(data).tracks[0].name == "é")
    }

    @Test("R8: points without time are counted and left out, an elevation of NaN is none")
    func withoutTime() throws {
        let file = try read(
            track(
                """
                <trkpt lat="1" lon="2"/><trkpt lat="1" lon="2"><ele>5</ele><time/></trkpt>
                <trkpt lat="1" lon="2"><ele>NaN</ele><time>1970-01-01T00:00:01Z</time></trkpt>
                """))
        #expect(file.pointsWithoutTime == 2 && file.points.count == 1 && file.points[0].verticalAccuracy == -1)
    }

    @Test("R8: what cannot be imported says why")
    func failures() {
        let point = #"<trkpt lat="1" lon="2"></trkpt>"#
        #expect(failure("<kml/>") == .notGPX(root: "kml"))
        #expect(failure(#"<gpx version="2.0"/>"#) == .unsupportedVersion("2.0"))
        #expect(failure("") == .malformed(line: 1))
        #expect(failure("\u{0}\u{1}{}") == .malformed(line: 1))
        #expect(failure("<gpx>\n<trk>\n<trkseg></trk>\n</gpx>") == .malformed(line: 3))
        #expect(failure("<gpx>\n<trk>") != nil)
        #expect(failure(track("")) == .noPoints(withoutTime: 0))
        #expect(failure(track(point + point)) == .noPoints(withoutTime: 2))
        let place = failure(track("\n\n<trkpt lat=\"91\" lon=\"0\"/>"))
        #expect(place == .invalidValue(line: 3, name: "lat", value: "91"))
        #expect(failure(track(#"<trkpt lat="1"/>"#)) == .invalidValue(line: 1, name: "lon", value: ""))
        let time = failure(track("<trkpt lat=\"1\" lon=\"2\"><time>\nnoon</time></trkpt>"))
        #expect(time == .invalidValue(line: 2, name: "time", value: "noon"))
        let elevation = failure(track(#"<trkpt lat="1" lon="2"><ele>1,5</ele></trkpt>"#))
        #expect(elevation == .invalidValue(line: 1, name: "elevation", value: "1,5"))
        #expect(throws: GPXError.unreadable(path: "/nowhere.gpx")) {
            try GPXReader.read(contentsOfFile: "/nowhere.gpx")
        }
        #expect(GPXError.noPoints(withoutTime: 3).description.contains("none of the file's 3 track points has a time"))
    }

    @Test("R8: entities read no other file and make no small file huge")
    func entities() throws {
        let point = #"<trkpt lat="1" lon="2"><time>1970-01-01T00:00:01Z</time></trkpt>"#
        let track = "<gpx><trk x=\"&a9;\"><name>A&a9;B</name><trkseg>\(point)</trkseg></trk></gpx>"
        let secret = URL(filePath: NSTemporaryDirectory()).appending(path: "gpx-\(UUID().uuidString)")
        try Data("secret".utf8).write(to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        let outer = "<!DOCTYPE gpx [<!ENTITY a9 SYSTEM \"\(secret.absoluteString)\">]>"
        let inText = track.replacing(" x=\"&a9;\"", with: "")
        let name = try #require(try read(outer + inText).tracks.first).name
        #expect(!"\(name as Any)".contains("secret") && name != nil, "\(name as Any)")
        let growing = (1...9).map { "<!ENTITY a\($0) \"" + String(repeating: "&a\($0 - 1);", count: 10) + "\">\n" }
        let inner = "<!DOCTYPE gpx [<!ENTITY a0 \"lollollol\">\n" + growing.joined() + "]>"
        #expect(failure(inner + track) != nil)
        #expect(failure(inner + inText) != nil)
    }
}
