/// What the fold remembers of a donated interaction: whom it counts for (rule I3), and what a notification about it
/// shows (rule N5).
struct Donation: Hashable, Sendable {
    var stamp: Stamp
    var direction: InteractionDirection
    var startedAt: Timestamp
    /// The conversation of a message; nil for a call.
    var conversationID: String?
    /// Who wrote or called; nil when outgoing.
    var sender: Person?
    /// The group's name of an incoming message in a group.
    var groupName: String?
    /// The handles to which an outgoing interaction went, ascending, each once.
    var recipients: [ByteText] = []

    /// The people for whom it counts: those whom the user wrote to or called, or the one who did.
    var people: [ByteText] {
        switch direction {
        case .incoming: sender.map { [ByteText($0.handle)] } ?? []
        case .outgoing: recipients
        }
    }

    init(_ body: InteractionDonated, _ stamp: Stamp) {
        self.stamp = stamp
        direction = body.direction
        startedAt = body.startedAt
        let (sender, group, recipients): (Person?, String?, [Person])
        switch body.intent {
        case .sendMessage(let message):
            conversationID = message.conversationID
            (sender, group, recipients) = (message.sender, message.groupName, message.recipients)
        case .startCall(let call): (sender, group, recipients) = (call.caller, nil, call.participants)
        }
        switch body.direction {
        case .incoming:
            self.sender = sender
            groupName = group
        case .outgoing: self.recipients = Set(recipients.map { ByteText($0.handle) }).sorted()
        }
    }

    /// The bytes of memory that it takes, roughly.
    var approximateBytes: Int {
        let texts = [conversationID, groupName, sender?.handle, sender?.displayName, sender?.avatar]
        return 300 + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            + recipients.reduce(0) { $0 + 16 + $1.text.utf8.count }
    }
}

extension Donation {
    func write(_ writer: inout ProtoWriter) {
        writer.stamp(1, stamp)
        writer.int(2, Int64(direction.rawValue))
        writer.sint(3, startedAt.microseconds)
        writer.optionalString(4, conversationID)
        writer.optionalString(5, groupName)
        writer.optionalString(6, sender?.handle)
        writer.optionalString(7, sender?.displayName)
        writer.optionalString(8, sender?.avatar)
        for recipient in recipients { writer.presentString(9, recipient.text) }
    }

    init(_ bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        var stamp: Stamp?
        var direction: InteractionDirection?
        var sender = Person(handle: "")
        var isSent = false
        startedAt = Timestamp(microseconds: 0)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: stamp = try value.stamp()
            case 2: direction = try value.member(of: InteractionDirection.self)
            case 3: startedAt = Timestamp(microseconds: try value.sint())
            case 4: conversationID = try value.string()
            case 5: groupName = try value.string()
            case 6: (sender.handle, isSent) = (try value.string(), true)
            case 7: sender.displayName = try value.string()
            case 8: sender.avatar = try value.string()
            case 9: recipients.append(ByteText(try value.string()))
            default: break
            }
        }
        guard let stamp, let direction else { throw .malformed }
        self.stamp = stamp
        self.direction = direction
        self.sender = isSent ? sender : nil
        // Each recipient occurs once, or a deletion would remove what was never counted.
        guard zip(recipients, recipients.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .malformed }
    }
}
