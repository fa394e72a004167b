import Crypto

extension Incarnation {
    /// The incarnation in which a store goes on with what a log does not hold (rule P10).
    ///
    /// It is derived and not drawn at random: copies of a store that have the same queue give its events the same
    /// places, so that each of them stands in the log once. The number is the first 8 bytes, big-endian, of SHA-256
    /// over
    ///
    ///     "focus-sync incarnation 1"  device(16)  incarnation(8)  sequence(8)  event_id(16)  scope
    ///
    /// with the top bit cleared; 0 becomes 1. Numbers are big-endian; the scope is its text, `system` or `app:<id>`.
    ///
    /// - Parameters:
    ///   - incarnation: the incarnation of the place that the first of these events had.
    ///   - sequence: the sequence of that place.
    ///   - event: the first of these events.
    public static func following(
        _ incarnation: Incarnation, _ sequence: DeviceSequence, _ event: EventID, of device: DeviceID, in scope: Scope
    ) -> Incarnation {
        var text = Array("focus-sync incarnation 1".utf8)
        text += device.bytes
        for number in [incarnation.rawValue, sequence.rawValue] {
            withUnsafeBytes(of: number.bigEndian) { text.append(contentsOf: $0) }
        }
        text += event.bytes
        text += Array(scope.text.utf8)
        let bits = SHA256.hash(data: text).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = Int64(bits & UInt64(Int64.max))
        return Incarnation(number == 0 ? 1 : number)
    }
}
