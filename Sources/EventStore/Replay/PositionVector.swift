import FocusCore

/// How far somebody got in each partition: everything below was seen. Written as `0:120,1:98`.
public struct PositionVector: Hashable, Sendable, CustomStringConvertible {
    public var positions: [Partition: LogOffset]

    public init(_ positions: [Partition: LogOffset] = [:]) { self.positions = positions }

    /// From `partition:offset`, separated by commas; nil when it is not that, or names a partition twice.
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
