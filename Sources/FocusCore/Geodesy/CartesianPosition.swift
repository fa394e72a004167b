/// A place on the ellipsoid by its coordinates in metres from the centre: without seams at the poles and the
/// antimeridian.
struct CartesianPosition: Hashable, Sendable {
    var x: Double
    var y: Double
    var z: Double

    init(latitude: Double, longitude: Double) {
        let (sinLatitude, cosLatitude) = Trigonometry.sinCos(degrees: latitude)
        let (sinLongitude, cosLongitude) = Trigonometry.sinCos(degrees: longitude)
        let e2 = WGS84.eccentricitySquared
        let radius = WGS84.equatorialRadius / (1 - e2 * sinLatitude * sinLatitude).squareRoot()
        x = radius * cosLatitude * cosLongitude
        y = radius * cosLatitude * sinLongitude
        z = radius * (1 - e2) * sinLatitude
    }

    func distanceSquared(to other: Self) -> Double {
        let (dx, dy, dz) = (other.x - x, other.y - y, other.z - z)
        return dx * dx + dy * dy + dz * dz
    }

    /// The straight line from one place to another.
    struct Chord {
        private let start: CartesianPosition
        private let dx: Double
        private let dy: Double
        private let dz: Double
        /// 1 / length²; 0 when it has no length.
        private let scale: Double

        init(from start: CartesianPosition, to end: CartesianPosition) {
            self.start = start
            (dx, dy, dz) = (end.x - start.x, end.y - start.y, end.z - start.z)
            let square = dx * dx + dy * dy + dz * dz
            scale = square > 0 ? 1 / square : 0
        }

        func distanceSquared(to position: CartesianPosition) -> Double {
            let (px, py, pz) = (position.x - start.x, position.y - start.y, position.z - start.z)
            let along = max(0, min(1, (px * dx + py * dy + pz * dz) * scale))
            let (rx, ry, rz) = (px - along * dx, py - along * dy, pz - along * dz)
            return rx * rx + ry * ry + rz * rz
        }
    }
}
