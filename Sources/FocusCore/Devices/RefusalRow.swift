/// An event that broke a rule, as its own device sees it (rule E2; collection `refusals`).
public struct RefusalRow: RowMessage {
    public var event: EventID
    /// The type as the device named it.
    public var type: String
    /// A `RefusalCode` raw value, or one of a newer program.
    public var code: String
    public var message: String
    public var occurredAt: Timestamp

    public init(event: EventID, type: String, code: String, message: String, occurredAt: Timestamp) {
        self.event = event
        self.type = type
        self.code = code
        self.message = message
        self.occurredAt = occurredAt
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.presentString(1, event.description)
        writer.string(2, type)
        writer.string(3, code)
        writer.string(4, message)
        writer.int(5, occurredAt.microseconds)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var event: EventID?
        var (type, code, message, occurredAt) = ("", "", "", Timestamp(microseconds: 0))
        while let (field, value) = try reader.next() {
            switch field {
            case 1: event = EventID(text: try value.string())
            case 2: type = try value.string()
            case 3: code = try value.string()
            case 4: message = try value.string()
            case 5: occurredAt = try value.timestamp()
            default: break
            }
        }
        guard let event else { throw .unexpected }
        self.init(event: event, type: type, code: code, message: message, occurredAt: occurredAt)
    }
}
