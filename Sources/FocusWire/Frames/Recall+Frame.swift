import FocusCore

extension Recall {
    init(_ message: Focus_Sync_V1_Recall) throws(FrameError) {
        var events: [EventID] = []
        events.reserveCapacity(message.eventIds.count)
        for id in message.eventIds { events.append(try EventID(wire: id, field: "recall.event_ids")) }
        self.init(
            incarnation: Incarnation(message.incarnation), firstSequence: DeviceSequence(message.firstSequence),
            events: events)
    }

    var message: Focus_Sync_V1_Recall {
        var message = Focus_Sync_V1_Recall()
        message.incarnation = incarnation.rawValue
        message.firstSequence = firstSequence.rawValue
        message.eventIds = events.map(\.wire)
        return message
    }
}

extension Recalled {
    init(_ message: Focus_Sync_V1_Recalled) throws(FrameError) {
        var outcomes: [Outcome?] = []
        outcomes.reserveCapacity(message.events.count)
        for event in message.events { outcomes.append(try Self.outcome(event)) }
        self.init(
            incarnation: Incarnation(message.incarnation), firstSequence: DeviceSequence(message.firstSequence),
            outcomes: outcomes, version: Version(message.version),
            receipts: message.receipts.map(Receipt.init))
    }

    var message: Focus_Sync_V1_Recalled {
        var message = Focus_Sync_V1_Recalled()
        message.incarnation = incarnation.rawValue
        message.firstSequence = firstSequence.rawValue
        message.events = outcomes.map(Self.message)
        message.version = version.rawValue
        message.receipts = receipts.map(\.message)
        return message
    }

    private static func outcome(_ event: Focus_Sync_V1_RecalledEvent) throws(FrameError) -> Outcome? {
        switch event.holding {
        case .notHeld: return nil
        case .held:
            return event.hasRefusedCode
                ? .refused(code: event.refusedCode, message: event.refusedMessage) : .accepted
        case .unspecified, .UNRECOGNIZED: throw .malformed("recalled.holding says neither held nor not held.")
        }
    }

    private static func message(_ outcome: Outcome?) -> Focus_Sync_V1_RecalledEvent {
        var event = Focus_Sync_V1_RecalledEvent()
        event.holding = outcome == nil ? .notHeld : .held
        if case .refused(let code, let text)? = outcome {
            event.refusedCode = code
            event.refusedMessage = text
        }
        return event
    }
}
