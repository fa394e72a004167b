import FocusCore
import Foundation

/// Where places of a route are in the picture: north is up, and a metre is as long in both directions in the middle of
/// the route (plate carrée around its middle latitude).
struct TrackProjection {
    /// Metres in a degree of latitude, on a sphere of the ellipsoid's mean radius.
    private static let metresPerDegree = 111_195.0
    /// Metres: a route that goes nowhere gets a map of so much.
    private static let leastExtent = 20.0

    /// The points' pixels.
    let points: [PicturePoint]
    /// Pixels in a metre.
    let pixelsPerMetre: Double

    /// - Parameters:
    ///   - route: points in the order of time; the way from one to the next is the shorter one around the globe.
    ///   - box: what the route fills, in its middle.
    init(_ route: [RoutePoint], into box: PictureBox) {
        var longitude = route.first?.longitude ?? 0
        var places: [(east: Double, north: Double)] = []
        places.reserveCapacity(route.count)
        for point in route {
            longitude += (point.longitude - longitude).remainder(dividingBy: 360)
            places.append((longitude, point.latitude))
        }
        let south = places.map(\.north).min() ?? 0
        let north = places.map(\.north).max() ?? 0
        let west = places.map(\.east).min() ?? 0
        let east = places.map(\.east).max() ?? 0
        // At a pole a degree of longitude has no length; a picture needs one.
        let narrowing = max(0.01, cos((south + north) / 2 * .pi / 180))
        let extent = (
            width: max(Self.leastExtent, (east - west) * narrowing * Self.metresPerDegree),
            height: max(Self.leastExtent, (north - south) * Self.metresPerDegree)
        )
        let scale = min(box.width / extent.width, box.height / extent.height)
        pixelsPerMetre = scale
        let middle = PicturePoint(box.left + box.width / 2, box.top + box.height / 2)
        points = places.map { place in
            PicturePoint(
                middle.x + (place.east - (west + east) / 2) * narrowing * Self.metresPerDegree * scale,
                middle.y - (place.north - (south + north) / 2) * Self.metresPerDegree * scale)
        }
    }
}
