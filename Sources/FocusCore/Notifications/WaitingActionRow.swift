/// What was done with a notification and waits for its app to hear of it (rule N20; collection `waiting_actions`). The
/// key is the id of the event that performed it. It is never rewritten: what becomes of the notification leaves it as it
/// is.
public struct WaitingActionRow: RowMessage {
    /// The actions of an app are numbered from 1, in the order of the log.
    public var number: Int64
    public var notificationID: String
    /// The action's id: as the device named it, or what a double tap was resolved to. Nil for a double tap on a
    /// notification that was not listed, or was posted later.
    public var action: String?
    public var doubleTap: Bool
    /// What was typed.
    public var text: String?
    /// The time of its stamp.
    public var performedAt: Timestamp
    /// Where it was performed.
    public var device: DeviceID

    public init(
        number: Int64, notificationID: String, action: String?, doubleTap: Bool, text: String?, performedAt: Timestamp,
        device: DeviceID
    ) {
        self.number = number
        self.notificationID = notificationID
        self.action = action
        self.doubleTap = doubleTap
        self.text = text
        self.performedAt = performedAt
        self.device = device
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter()
        writer.int(1, number)
        writer.string(2, notificationID)
        writer.optionalString(3, action)
        writer.bool(4, doubleTap)
        writer.optionalString(5, text)
        writer.int(6, performedAt.microseconds)
        writer.string(7, device.description)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(
            number: 0, notificationID: "", action: nil, doubleTap: false, text: nil,
            performedAt: Timestamp(microseconds: 0), device: .server)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: number = try value.int()
            case 2: notificationID = try value.string()
            case 3: action = try value.string()
            case 4: doubleTap = try value.bool()
            case 5: text = try value.string()
            case 6: performedAt = try value.timestamp()
            case 7:
                guard let known = DeviceID(text: try value.string()) else { throw .unexpected }
                device = known
            default: break
            }
        }
    }
}
