import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl route export`.
struct RouteExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a finished route as GPX 1.1 or GeoJSON to standard output (rule R8).",
        discussion: """
            All accepted points in the order of time. GPX has their places, times
            and known elevations; GeoJSON also has the route's figures. With --smooth
            places and elevations are smoothed; the figures stay the route's own.

            Examples:
              focusctl route export morning --user $U --app com.example.trails \\
                --format gpx > morning.gpx
              focusctl route export morning --user $U --app com.example.trails \\
                --format geojson --smooth 10 > morning.json

            \(ExitStatus.help)
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case gpx, geojson }

    @OptionGroup var options: RouteOptions
    @Option(help: "gpx or geojson.")
    var format: Format
    @OptionGroup var smooth: SmoothingOption

    func run() throws {
        let recorded = try options.export()
        let export = smooth.smoothing.map(recorded.smoothed) ?? recorded
        var output = BufferedOutput()
        switch format {
        case .gpx: GPXWriter.write(export, to: &output)
        case .geojson: GeoJSONWriter.write(export, to: &output)
        }
        output.flush()
    }
}

/// Writes to standard output in large pieces.
struct BufferedOutput: TextOutputStream {
    private static let pieceBytes = 1 << 16
    private var piece: [UInt8] = []

    mutating func write(_ text: String) {
        piece.append(contentsOf: text.utf8)
        if piece.count >= Self.pieceBytes { flush() }
    }

    mutating func flush() {
        Terminal.write(piece)
        piece.removeAll(keepingCapacity: true)
    }
}
