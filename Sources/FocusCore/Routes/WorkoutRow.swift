/// A saved workout, as devices see it (collection `workouts`). Its id is the row's key.
public struct WorkoutRow: RowMessage {
    public var activity: String
    public var start: Timestamp
    public var end: Timestamp

    public init(activity: String, start: Timestamp, end: Timestamp) {
        self.activity = activity
        self.start = start
        self.end = end
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.string(1, activity)
        writer.int(2, start.microseconds)
        writer.int(3, end.microseconds)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(activity: "", start: Timestamp(microseconds: 0), end: Timestamp(microseconds: 0))
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: activity = try value.string()
            case 2: start = try value.timestamp()
            case 3: end = try value.timestamp()
            default: break
            }
        }
    }
}
