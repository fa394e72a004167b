import FocusCore

/// Receipts, both ways: every acknowledgement has one. Field numbers are those of `Receipt` in sync.proto.
extension Receipt {
    init(direct message: UnsafeRawBufferPointer) throws(Unusual) {
        self.init(first: .zero, through: .zero, code: [])
        var reader = FieldReader(message)
        while !reader.isAtEnd {
            switch try reader.tag() {
            case 1 << 3: first = DeviceSequence(try reader.int())
            case 2 << 3: through = DeviceSequence(try reader.int())
            case 3 << 3 | 2: code = try reader.data()
            default: throw Unusual()
            }
        }
    }

    var directSize: Int {
        FieldSize.int(first.rawValue) + FieldSize.int(through.rawValue) + FieldSize.bytes(code.count)
    }

    func write(to writer: inout FieldWriter) {
        writer.int(1, first.rawValue)
        writer.int(2, through.rawValue)
        writer.bytes(3, code)
    }
}
