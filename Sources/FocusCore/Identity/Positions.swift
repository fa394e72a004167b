/// A place in a user's stream: 1, 2, 3 … without gaps. Zero is before the first event.
public struct Version: Position {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// A place in a partition of the log: 0, 1, 2 … without gaps and in commit order.
public struct LogOffset: Position {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// A place in a device incarnation's own sequence of events: 1, 2, 3 … without gaps. Zero is before the first (rule
/// E1).
public struct DeviceSequence: Position {
    public let rawValue: Int64
    public init(_ rawValue: Int64) { self.rawValue = rawValue }
}

/// A count of steps along one of the three sequences. Each has a type of its own, so that one is never mistaken for
/// another.
public protocol Position: Hashable, Sendable, Comparable, CustomStringConvertible {
    var rawValue: Int64 { get }
    init(_ rawValue: Int64)
}

extension Position {
    public static var zero: Self { Self(0) }
    /// The place after this one; the greatest 64-bit value is followed by itself. A device, a server or a damaged
    /// database may name any 64 bits, and nobody ever counts so far.
    public var next: Self { advanced(by: 1) }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    /// Saturates at either end of 64 bits.
    public func advanced(by steps: Int) -> Self {
        let (moved, overflow) = rawValue.addingReportingOverflow(Int64(steps))
        return Self(overflow ? (steps > 0 ? .max : .min) : moved)
    }
    public var description: String { String(rawValue) }
}

/// One of the log's partitions, 0 ..< P.
public struct Partition: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: Int32
    public init(_ rawValue: Int32) { self.rawValue = rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public var description: String { String(rawValue) }
}
