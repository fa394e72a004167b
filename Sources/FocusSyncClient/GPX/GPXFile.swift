import FocusCore

/// The recorded tracks of a GPX file (rule R8).
public struct GPXFile: Hashable, Sendable {
    public var tracks: [GPXTrack]
    /// The number of track points without a time. They are in no segment, because a route consists of points in time
    /// (rule R8: reported and left out).
    public var pointsWithoutTime: Int

    public init(tracks: [GPXTrack] = [], pointsWithoutTime: Int = 0) {
        self.tracks = tracks
        self.pointsWithoutTime = pointsWithoutTime
    }

    /// The points of all tracks and segments, in the file's order.
    public var points: [RoutePoint] { tracks.flatMap(\.points) }
}

/// One `trk` of a GPX file.
public struct GPXTrack: Hashable, Sendable {
    public var name: String?
    /// The activity, as the file calls it; often absent.
    public var type: String?
    /// In GPX a segment ends where reception was lost or recording paused. Segments without a timed point are left out.
    public var segments: [[RoutePoint]]

    public init(name: String? = nil, type: String? = nil, segments: [[RoutePoint]] = []) {
        self.name = name
        self.type = type
        self.segments = segments
    }

    public var points: [RoutePoint] { segments.flatMap { $0 } }
}

/// Why a file cannot be imported. The description is for the person who gave it.
public enum GPXError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is missing or cannot be read.
    case unreadable(path: String)
    /// The file is not well-formed XML. Lines count from 1.
    case malformed(line: Int)
    /// The file is XML, but its root element is not `gpx`.
    case notGPX(root: String)
    /// The file's version of GPX is neither 1.0 nor 1.1.
    case unsupportedVersion(String)
    /// A coordinate, elevation or time is invalid.
    case invalidValue(line: Int, name: String, value: String)
    /// The file has no track point with a time. `withoutTime` is the number of those without one.
    case noPoints(withoutTime: Int)

    public var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .malformed(let line): "not well-formed XML at line \(line)"
        case .notGPX(let root): "not a GPX file: its root element is <\(root)>, not <gpx>"
        case .unsupportedVersion(let version): "GPX version \(version) is not supported; 1.0 and 1.1 are"
        case .invalidValue(let line, let name, let value): "line \(line): \"\(value)\" is no valid \(name)"
        case .noPoints(withoutTime: 0): "the file has no track points"
        case .noPoints(let count): "none of the file's \(count) track points has a time, so they make no route"
        }
    }
}
