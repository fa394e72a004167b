/// The effective value of a preference, set or registered (rule D1), as devices see it (collection `preferences`). The
/// preference's key is the row's. Who gave the value is not in it: devices hear of a key when its effective value
/// changes, and only then (rule D3).
public struct PreferenceRow: RowMessage {
    public var value: PropertyValue

    public init(value: PropertyValue) { self.value = value }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentData(1, value.encoded)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var decoded: PropertyValue?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: decoded = try PropertyValue(decoding: Array(try value.bytes()))
            default: break
            }
        }
        guard let decoded else { throw .malformed }
        self.init(value: decoded)
    }
}
