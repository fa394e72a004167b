import FocusCore

/// What a GPX file says about where somebody was (rule R8).
public struct GPXFile: Hashable, Sendable {
    public var tracks: [GPXTrack]
    /// Track points without a time. They are in no segment: a route is made of moments (rule R8: reported and left
    /// out).
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
    /// What was done, as the file calls it; often absent.
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
    case unreadable(path: String)
    /// Lines count from 1.
    case malformed(line: Int)
    /// It is XML, but its root is another element than `gpx`.
    case notGPX(root: String)
    /// Neither 1.0 nor 1.1.
    case unsupportedVersion(String)
    /// A coordinate, elevation or time that is none.
    case invalidValue(line: Int, name: String, value: String)
    /// No track point with a time.
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
