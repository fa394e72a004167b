import FocusCore

/// The `DeviceClass` of `FocusCore`: the message has an enum of this name too.
private typealias ClassOfDevice = DeviceClass

extension Focus_Events_V1_DeviceActivity: PayloadMessage {
    init(_ event: DeviceActivity) {
        self.init()
        device = event.device.description
        scope = event.scope.text
        deviceClass = Self.wireClass(event.deviceClass)
        if let front = event.app { app = front.rawValue }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard let known = ClassOfDevice(number: Int64(deviceClass.rawValue)) else {
            throw .malformed("device_class has the unknown number \(deviceClass.rawValue).")
        }
        let (device, scope) = try (DeviceID(field: device), Scope(field: scope))
        var front: AppID?
        if hasApp {
            guard let named = AppID(app) else { throw .malformed("app is no bundle identifier.") }
            front = named
        }
        return .deviceActivity(DeviceActivity(device: device, scope: scope, deviceClass: known, app: front))
    }

    private static func wireClass(_ value: ClassOfDevice) -> DeviceClass {
        switch value {
        case .phone: .phone
        case .tablet: .tablet
        case .watch: .watch
        case .desktop: .desktop
        }
    }
}

extension Focus_Events_V1_DeviceActivityEnded: PayloadMessage {
    init(_ event: DeviceActivityEnded) {
        self.init()
        device = event.device.description
        scope = event.scope.text
        reportedAtUs = event.reportedAt.microseconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        let (device, scope) = try (DeviceID(field: device), Scope(field: scope))
        return .deviceActivityEnded(
            DeviceActivityEnded(device: device, scope: scope, reportedAt: Timestamp(microseconds: reportedAtUs)))
    }
}

extension Focus_Events_V1_AlertRingsElsewhere: PayloadMessage {
    init(_ event: AlertRingsElsewhere) {
        self.init()
        dueAtUs = event.dueAt.microseconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .alertRingsElsewhere(AlertRingsElsewhere(dueAt: Timestamp(microseconds: dueAtUs)))
    }
}
