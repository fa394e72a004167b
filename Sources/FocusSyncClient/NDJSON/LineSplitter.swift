/// Cuts bytes, however they come, into lines; a last line needs no end.
public struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    /// Lines longer than this are cut, so that memory stays bounded.
    private let limit: Int

    /// - Parameter limit: bytes; what a line has beyond it is dropped, one byte excepted, which shows that it is too
    ///   long.
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

    /// What is left at the end; nil when there is nothing.
    public mutating func last() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
    }
}
