/// The bytes of a chunk: one format byte, then for every point its eight fields (time, then the doubles' bit
/// patterns, in the order of their declaration), each as the difference to the same field of the point before (the
/// first: to zero), modulo 2^64, zigzag, varint. Neighbouring positions share sign, exponent and leading bits, and
/// accuracies repeat, so a recorded point takes some 20 to 40 bytes instead of 64, and every bit comes back.
enum RouteChunkCoding {
    static let format: UInt8 = 1

    static func bytes(of points: [RoutePoint]) -> [UInt8] {
        var bytes: [UInt8] = [format]
        bytes.reserveCapacity(points.count * 32)
        var last = Fields()
        for point in points {
            let fields = Fields(point)
            fields.append(to: &bytes, after: last)
            last = fields
        }
        return bytes
    }

    /// Throws unless the bytes are a chunk as `bytes(of:)` writes it: whole, not empty, not too long, of accepted
    /// points with ascending times.
    static func points(from bytes: [UInt8]) throws(ProtoError) -> [RoutePoint] {
        guard bytes.first == format, bytes.count > 1 else { throw .malformed }
        var points: [RoutePoint] = []
        points.reserveCapacity(RouteChunk.capacity)
        var position = 1
        var fields = Fields()
        while position < bytes.count {
            try fields.advance(in: bytes, at: &position)
            let point = fields.point
            guard points.count < RouteChunk.capacity, points.last.map({ $0.time < point.time }) ?? true,
                RouteFilter.reasonToDrop(point) == nil
            else { throw .malformed }
            points.append(point)
        }
        return points
    }

    /// A point as numbers. They have names and no index: the compiler keeps them in registers only then.
    private struct Fields {
        private var time: UInt64 = 0
        private var latitude: UInt64 = 0
        private var longitude: UInt64 = 0
        private var altitude: UInt64 = 0
        private var horizontalAccuracy: UInt64 = 0
        private var verticalAccuracy: UInt64 = 0
        private var speed: UInt64 = 0
        private var course: UInt64 = 0

        /// What comes before the first point.
        init() {}

        init(_ point: RoutePoint) {
            time = UInt64(bitPattern: point.time.microseconds)
            latitude = point.latitude.bitPattern
            longitude = point.longitude.bitPattern
            altitude = point.altitude.bitPattern
            horizontalAccuracy = point.horizontalAccuracy.bitPattern
            verticalAccuracy = point.verticalAccuracy.bitPattern
            speed = point.speed.bitPattern
            course = point.course.bitPattern
        }

        var point: RoutePoint {
            RoutePoint(
                time: Timestamp(microseconds: Int64(bitPattern: time)), latitude: Double(bitPattern: latitude),
                longitude: Double(bitPattern: longitude), altitude: Double(bitPattern: altitude),
                horizontalAccuracy: Double(bitPattern: horizontalAccuracy),
                verticalAccuracy: Double(bitPattern: verticalAccuracy), speed: Double(bitPattern: speed),
                course: Double(bitPattern: course))
        }

        func append(to bytes: inout [UInt8], after last: Fields) {
            RouteChunkCoding.append(time &- last.time, to: &bytes)
            RouteChunkCoding.append(latitude &- last.latitude, to: &bytes)
            RouteChunkCoding.append(longitude &- last.longitude, to: &bytes)
            RouteChunkCoding.append(altitude &- last.altitude, to: &bytes)
            RouteChunkCoding.append(horizontalAccuracy &- last.horizontalAccuracy, to: &bytes)
            RouteChunkCoding.append(verticalAccuracy &- last.verticalAccuracy, to: &bytes)
            RouteChunkCoding.append(speed &- last.speed, to: &bytes)
            RouteChunkCoding.append(course &- last.course, to: &bytes)
        }

        /// Goes on to the point whose differences are at `position`.
        mutating func advance(in bytes: [UInt8], at position: inout Int) throws(ProtoError) {
            time &+= try difference(in: bytes, at: &position)
            latitude &+= try difference(in: bytes, at: &position)
            longitude &+= try difference(in: bytes, at: &position)
            altitude &+= try difference(in: bytes, at: &position)
            horizontalAccuracy &+= try difference(in: bytes, at: &position)
            verticalAccuracy &+= try difference(in: bytes, at: &position)
            speed &+= try difference(in: bytes, at: &position)
            course &+= try difference(in: bytes, at: &position)
        }
    }

    private static func append(_ difference: UInt64, to bytes: inout [UInt8]) {
        let signed = Int64(bitPattern: difference)
        var rest = UInt64(bitPattern: signed << 1 ^ signed >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    static func difference(in bytes: [UInt8], at position: inout Int) throws(ProtoError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { throw .truncated }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value >> 1 ^ (0 &- value & 1) }
        }
        throw .malformed
    }
}
