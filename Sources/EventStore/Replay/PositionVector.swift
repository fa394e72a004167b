import FocusCore

/// How far a consumer got in each partition: every event below the offset was seen. Written as `0:120,1:98`.
public struct PositionVector: Hashable, Sendable, CustomStringConvertible {
    public var positions: [Partition: LogOffset]

    public init(_ positions: [Partition: LogOffset] = [:]) { self.positions = positions }

    /// Reads `partition:offset` pairs, separated by commas; nil when the text is not that, or names a partition twice.
    public init?(_ text: String) {
        positions = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let numbers = part.split(separator: ":", omittingEmptySubsequences: false)
            guard numbers.count == 2, let partition = Int32(numbers[0]), let offset = Int64(numbers[1]),
                partition >= 0, offset >= 0,
                positions.updateValue(LogOffset(offset), forKey: Partition(partition)) == nil
            else { return nil }
        }
    }

    public var description: String {
        positions.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }
}
