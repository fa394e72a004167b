import FocusCore

extension Focus_Events_V1_DeviceRevoked: PayloadMessage {
    init(_ event: DeviceRevoked) {
        self.init()
        device = event.device.description
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard let revoked = DeviceID(text: device) else { throw .malformed("device is no UUID.") }
        return .deviceRevoked(DeviceRevoked(device: revoked))
    }
}

extension Focus_Events_V1_DeviceIncarnationBegan: PayloadMessage {
    init(_ event: DeviceIncarnationBegan) {
        self.init()
        device = event.device.description
        incarnation = event.incarnation.rawValue
        scope = event.scope.text
    }

    func eventBody() throws(PayloadError) -> EventBody {
        let (device, scope) = try (DeviceID(field: device), Scope(field: scope))
        return .deviceIncarnationBegan(
            DeviceIncarnationBegan(device: device, incarnation: Incarnation(incarnation), scope: scope))
    }
}

extension Focus_Events_V1_DeviceIncarnationEnded: PayloadMessage {
    init(_ event: DeviceIncarnationEnded) {
        self.init()
        device = event.device.description
        incarnation = event.incarnation.rawValue
        scope = event.scope.text
    }

    func eventBody() throws(PayloadError) -> EventBody {
        let (device, scope) = try (DeviceID(field: device), Scope(field: scope))
        return .deviceIncarnationEnded(
            DeviceIncarnationEnded(device: device, incarnation: Incarnation(incarnation), scope: scope))
    }
}

extension DeviceID {
    init(field text: String) throws(PayloadError) {
        guard let device = DeviceID(text: text) else { throw .malformed("device is no UUID.") }
        self = device
    }
}

extension Scope {
    init(field text: String) throws(PayloadError) {
        guard let scope = Scope(text: text) else { throw .malformed("scope is neither system nor app:<id>.") }
        self = scope
    }
}
