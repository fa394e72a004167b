import FocusCore

extension Focus_Events_V1_Person {
    init(_ person: Person) {
        self.init()
        handle = person.handle
        if let text = person.displayName { displayName = text }
        if let text = person.avatar { avatar = text }
    }

    var person: Person {
        Person(
            handle: handle, displayName: hasDisplayName ? displayName : nil, avatar: hasAvatar ? avatar : nil)
    }
}

extension Focus_Events_V1_InteractionDonated: PayloadMessage {
    init(_ event: InteractionDonated) {
        self.init()
        interactionID = event.interactionID
        direction = Direction(number: event.direction.rawValue)
        switch event.intent {
        case .sendMessage(let message): sendMessage = SendMessage(message)
        case .startCall(let call): startCall = StartCall(call)
        }
        startedAtUs = event.startedAt.microseconds
        if let duration = event.durationMicroseconds { durationUs = duration }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .interactionDonated(
            InteractionDonated(
                interactionID: interactionID,
                direction: try InteractionDirection(number: direction.rawValue, field: "direction"),
                intent: try interactionIntent(), startedAt: Timestamp(microseconds: startedAtUs),
                durationMicroseconds: hasDurationUs ? durationUs : nil))
    }

    private func interactionIntent() throws(PayloadError) -> InteractionIntent {
        switch intent {
        case .sendMessage(let message): return .sendMessage(message.event)
        case .startCall(let call): return .startCall(try call.event())
        case nil: throw .malformed("intent is missing.")
        }
    }
}

extension Focus_Events_V1_InteractionDonated.SendMessage {
    init(_ message: SendMessage) {
        self.init()
        conversationID = message.conversationID
        if let text = message.groupName { groupName = text }
        if let person = message.sender { sender = Focus_Events_V1_Person(person) }
        recipients = message.recipients.map { Focus_Events_V1_Person($0) }
    }

    var event: SendMessage {
        SendMessage(
            conversationID: conversationID, groupName: hasGroupName ? groupName : nil,
            sender: hasSender ? sender.person : nil, recipients: recipients.map(\.person))
    }
}

extension Focus_Events_V1_InteractionDonated.StartCall {
    init(_ call: StartCall) {
        self.init()
        kind = Kind(number: call.kind.rawValue)
        if let person = call.caller { caller = Focus_Events_V1_Person(person) }
        participants = call.participants.map { Focus_Events_V1_Person($0) }
    }

    func event() throws(PayloadError) -> StartCall {
        StartCall(
            kind: try CallKind(number: kind.rawValue, field: "start_call.kind"),
            caller: hasCaller ? caller.person : nil, participants: participants.map(\.person))
    }
}

extension Focus_Events_V1_InteractionDeleted: PayloadMessage {
    init(_ event: InteractionDeleted) {
        self.init()
        switch event {
        case .ids(let list): ids = list
        case .conversation(let id): conversationID = id
        case .all: all = true
        }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard [!ids.isEmpty, hasConversationID, all].count(where: { $0 }) <= 1 else {
            throw .malformed("Of ids, conversation_id and all there is more than one.")
        }
        if hasConversationID { return .interactionDeleted(.conversation(conversationID)) }
        return .interactionDeleted(all ? .all : .ids(ids))
    }
}
