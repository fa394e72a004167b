/// A route's line, simplified for drawing (rule R5).
public struct RoutePolyline: Hashable, Sendable {
    /// Google's *Encoded Polyline Algorithm Format*: five decimals of a degree, latitude first. A step across the
    /// antimeridian is encoded as it is, from 180 to −180; readers take the shorter way.
    public var encoded: String
    /// Metres: no point of the route is farther from the line.
    public var errorMetres: Double

    /// What a line normally promises (rule R5).
    public static let errorMetres = 5.0
    /// Bounds the row: a line that still has more after simplification is simplified again, more coarsely, and says
    /// so in `errorMetres`. Days of recording come to less.
    public static let maximumVertices = 20_000

    public init(encoded: String, errorMetres: Double) {
        self.encoded = encoded
        self.errorMetres = errorMetres
    }

    /// The line through `points` in their order. Takes some 100 ns for each of them on a recorded route, and at worst
    /// `LineSimplifier.maximumBlock` times as much.
    public init(_ points: [RoutePoint]) { self.init(points, maximumVertices: Self.maximumVertices) }

    init(_ points: [RoutePoint], maximumVertices: Int) {
        // Rounding to five decimals takes up to 0.79 m of the 5 m (0.56 m north and 0.56 m east).
        var simplifier = LineSimplifier(tolerance: 4, maximumLength: 2_000)
        var vertices = points.map { CartesianPosition(latitude: $0.latitude, longitude: $0.longitude) }
        var kept = Array(points.indices)
        var error = Self.errorMetres - simplifier.tolerance
        while true {
            let indices = simplifier.simplify(vertices)
            kept = indices.map { kept[$0] }
            vertices = indices.map { vertices[$0] }
            error += simplifier.tolerance
            guard kept.count > maximumVertices else { break }
            simplifier.tolerance *= 4
            simplifier.maximumLength *= 4
        }
        self.init(encoded: Self.encode(kept.lazy.map { points[$0] }), errorMetres: error)
    }

    private static func encode(_ vertices: some Sequence<RoutePoint>) -> String {
        var bytes: [UInt8] = []
        var last: (latitude: Int, longitude: Int)?
        for vertex in vertices {
            let next = (latitude: rounded(vertex.latitude), longitude: rounded(vertex.longitude))
            if let last, last == next { continue }
            append(next.latitude - (last?.latitude ?? 0), to: &bytes)
            append(next.longitude - (last?.longitude ?? 0), to: &bytes)
            last = next
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func rounded(_ degrees: Double) -> Int { Int((degrees * 1e5).rounded()) }

    /// Zigzag, then groups of five bits, the least significant first, as printable characters.
    private static func append(_ difference: Int, to bytes: inout [UInt8]) {
        var rest = difference << 1 ^ difference >> (Int.bitWidth - 1)
        while rest >= 0x20 {
            bytes.append(UInt8(rest & 0x1F | 0x20) + 63)
            rest >>= 5
        }
        bytes.append(UInt8(rest) + 63)
    }
}
