/// A moment: microseconds since 1970-01-01T00:00:00Z, as a device or the server reported it.
public struct Timestamp: Hashable, Sendable, Comparable {
    public let microseconds: Int64
    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
    /// Saturates instead of trapping: a device may send any 64 bits.
    public func adding(microseconds delta: Int64) -> Self {
        let (sum, overflow) = microseconds.addingReportingOverflow(delta)
        return Self(microseconds: overflow ? (delta > 0 ? .max : .min) : sum)
    }
}

/// When a register was written and by whom; the greatest wins (rule E3).
public struct Stamp: Hashable, Sendable, Comparable {
    /// max(occurred_at, the greatest time of this device before); the server is exempt from the max.
    public let time: Timestamp
    public let device: DeviceID
    public let sequence: DeviceSequence
    /// True when an app's session wrote it. Two scopes of a device count their sequences apart, and at most two may
    /// write one register, `system` and the app itself: when two stamps are equal otherwise, that of `system` is the
    /// greater.
    public let isOfApp: Bool

    /// A stamp before every other.
    static let beforeAll = Stamp(time: Timestamp(microseconds: .min), device: .server, sequence: .zero)

    public init(time: Timestamp, device: DeviceID, sequence: DeviceSequence, isOfApp: Bool = false) {
        self.time = time
        self.device = device
        self.sequence = sequence
        self.isOfApp = isOfApp
    }

    public static func < (a: Self, b: Self) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.device != b.device { return a.device < b.device }
        if a.sequence != b.sequence { return a.sequence < b.sequence }
        return a.isOfApp && !b.isOfApp
    }
}
