/// When summaries come, as devices see it (rule N16; collection `delivery_schedule`). Without a row they never come.
public struct DeliveryScheduleRow: RowMessage {
    /// Minutes after local midnight, 0…1,439, ascending, each once.
    public var times: [Int32]
    /// A name of the IANA time-zone database.
    public var timeZone: String

    public init(times: Set<Int32>, timeZone: String) {
        self.times = times.sorted()
        self.timeZone = timeZone
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        // Unpacked, and 0 is a time like any other.
        for time in times { writer.presentInt(1, Int64(time)) }
        writer.string(2, timeZone)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var (times, timeZone) = (Set<Int32>(), "")
        while let (field, value) = try reader.next() {
            switch field {
            case 1:
                guard let time = Int32(exactly: try value.int()) else { throw .unexpected }
                times.insert(time)
            case 2: timeZone = try value.string()
            default: break
            }
        }
        self.init(times: times, timeZone: timeZone)
    }
}
