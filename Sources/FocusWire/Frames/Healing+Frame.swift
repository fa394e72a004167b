import FocusCore

import struct Foundation.Data

extension Receipt {
    init(_ message: Focus_Sync_V1_Receipt) {
        self.init(
            first: DeviceSequence(message.firstSequence), through: DeviceSequence(message.lastSequence),
            code: Array(message.code))
    }

    var message: Focus_Sync_V1_Receipt {
        var message = Focus_Sync_V1_Receipt()
        message.firstSequence = first.rawValue
        message.lastSequence = through.rawValue
        message.code = Data(code)
        return message
    }
}

extension Reoffer {
    init(_ message: Focus_Sync_V1_Reoffer) throws(FrameError) {
        var events: [Offered] = []
        events.reserveCapacity(message.events.count)
        for event in message.events { events.append(try Offered(event)) }
        self.init(
            incarnation: Incarnation(message.incarnation), firstSequence: DeviceSequence(message.firstSequence),
            events: events, code: Array(message.receiptCode))
    }

    var message: Focus_Sync_V1_Reoffer {
        var message = Focus_Sync_V1_Reoffer()
        message.incarnation = incarnation.rawValue
        message.firstSequence = firstSequence.rawValue
        message.events = events.map(\.message)
        message.receiptCode = Data(code)
        return message
    }
}

extension Reoffer.Offered {
    init(_ message: Focus_Sync_V1_ReofferedEvent) throws(FrameError) {
        self.init(
            envelope: try Envelope(message.envelope),
            outcome: message.hasRefusedCode
                ? .refused(code: message.refusedCode, message: message.refusedMessage) : .accepted)
    }

    var message: Focus_Sync_V1_ReofferedEvent {
        var message = Focus_Sync_V1_ReofferedEvent()
        message.envelope = envelope.message
        if case .refused(let code, let text) = outcome {
            message.refusedCode = code
            message.refusedMessage = text
        }
        return message
    }
}

extension LostEvents {
    init(_ message: Focus_Sync_V1_Lost) {
        self.init(
            incarnation: Incarnation(message.incarnation), first: DeviceSequence(message.firstSequence),
            last: DeviceSequence(message.lastSequence))
    }

    var message: Focus_Sync_V1_Lost {
        var message = Focus_Sync_V1_Lost()
        message.incarnation = incarnation.rawValue
        message.firstSequence = first.rawValue
        message.lastSequence = last.rawValue
        return message
    }
}
