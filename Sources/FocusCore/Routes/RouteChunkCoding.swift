/// The bytes of a chunk: one format byte, then for every point its eight fields (time, then the doubles' bit
/// patterns, in the order of their declaration), each as the difference to the same field of the point before (the
/// first: to zero), modulo 2^64, zigzag, varint. Neighbouring positions share sign, exponent and leading bits, and
/// accuracies repeat, so a recorded point takes some 20 to 40 bytes instead of 64, and every bit comes back.
enum RouteChunkCoding {
    static let format: UInt8 = 1
    private static let fieldCount = 8

    static func bytes(of points: [RoutePoint]) -> [UInt8] {
        var bytes: [UInt8] = [format]
        bytes.reserveCapacity(points.count * 32)
        var last = Fields(repeating: 0)
        for point in points {
            let fields = self.fields(of: point)
            for index in 0..<fieldCount { append(fields[index] &- last[index], to: &bytes) }
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
        var fields = Fields(repeating: 0)
        while position < bytes.count {
            for index in 0..<fieldCount { fields[index] = try fields[index] &+ difference(in: bytes, at: &position) }
            let point = self.point(of: fields)
            guard points.count < RouteChunk.capacity, points.last.map({ $0.time < point.time }) ?? true,
                RouteFilter.reasonToDrop(point) == nil
            else { throw .malformed }
            points.append(point)
        }
        return points
    }

    private typealias Fields = SIMD8<UInt64>

    private static func fields(of point: RoutePoint) -> Fields {
        Fields(
            UInt64(bitPattern: point.time.microseconds), point.latitude.bitPattern, point.longitude.bitPattern,
            point.altitude.bitPattern, point.horizontalAccuracy.bitPattern, point.verticalAccuracy.bitPattern,
            point.speed.bitPattern, point.course.bitPattern)
    }

    private static func point(of fields: Fields) -> RoutePoint {
        RoutePoint(
            time: Timestamp(microseconds: Int64(bitPattern: fields[0])), latitude: Double(bitPattern: fields[1]),
            longitude: Double(bitPattern: fields[2]), altitude: Double(bitPattern: fields[3]),
            horizontalAccuracy: Double(bitPattern: fields[4]), verticalAccuracy: Double(bitPattern: fields[5]),
            speed: Double(bitPattern: fields[6]), course: Double(bitPattern: fields[7]))
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
