/// Cuts bytes, however they come, into lines; a last line needs no end.
public struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    /// How many bytes of a line are kept, so that memory stays bounded.
    private let limit: Int

    /// - Parameter limit: how many bytes a line may have. What is beyond it is dropped, except for one byte, which
    ///   shows that the line is too long.
    public init(limit: Int = EventLine.maximumBytes) { self.limit = limit }

    /// The lines that `bytes` complete, without their ends.
    public mutating func lines(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(rest)
                rest = []
            } else if rest.count <= limit {
                rest.append(byte)
            }
        }
        return lines
    }

    /// The last line, when it has no end; nil when there is none.
    public mutating func last() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
    }
}
