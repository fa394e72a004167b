extension UserState {
    /// The memo of the internal row `stream`: the last event and the horizon.
    var streamMemo: [UInt8] {
        guard version > .zero else { return [] }
        var writer = ProtoWriter()
        writer.presentData(1, lastEvent.bytes)
        writer.int(2, horizon.rawValue)
        return writer.bytes
    }

    mutating func read(streamMemo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(streamMemo)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: lastEvent = try value.uuid(EventID.self)
            case 2: shared.store.horizon = Version(try value.int())
            default: break
            }
        }
    }
}
