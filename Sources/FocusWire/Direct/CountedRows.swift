import FocusCore

/// A server's frame of rows, which are counted and not decoded: nearly all that a load generator gets is rows, and what
/// it spends on them the server lacks.
package struct CountedRows {
    package private(set) var count = 0
    /// The version that the frame's cursor stands for; nil in a frame without a cursor.
    package private(set) var reached: Version?

    /// Nil when the message is another one, or not in plain form: `FrameCodec` decodes those. Field numbers are those
    /// of `ServerFrame`, `Rows`, `Delta` and `Cursor` in sync.proto.
    /// - Parameter message: the frame without its length.
    package init?(_ message: UnsafeRawBufferPointer) {
        var frame = FieldReader(message)
        do throws(Unusual) {
            let tag = try frame.tag()
            let content = try frame.delimited()
            guard frame.isAtEnd else { return nil }
            switch tag {
            case 4 << 3 | 2, 7 << 3 | 2: try countRows(content)
            case 9 << 3 | 2: try countDelta(content)
            default: return nil
            }
        } catch {
            return nil
        }
    }

    private mutating func countRows(_ content: UnsafeRawBufferPointer) throws(Unusual) {
        var fields = FieldReader(content)
        while !fields.isAtEnd {
            guard try fields.tag() == 1 << 3 | 2 else { throw Unusual() }
            _ = try fields.delimited()
            count += 1
        }
    }

    private mutating func countDelta(_ content: UnsafeRawBufferPointer) throws(Unusual) {
        var fields = FieldReader(content)
        while !fields.isAtEnd {
            switch try fields.tag() {
            case 1 << 3: _ = try fields.int()
            case 2 << 3 | 2:
                _ = try fields.delimited()
                count += 1
            case 3 << 3 | 2: reached = try Cursor(direct: fields.delimited()).version
            default: throw Unusual()
            }
        }
        guard reached != nil else { throw Unusual() }
    }
}
