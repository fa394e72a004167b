import FocusCore

/// The `DeviceClass` of `FocusCore`: the message has an enum of this name too.
private typealias ClassOfDevice = DeviceClass

extension Focus_Events_V1_NotificationSettingsChanged: PayloadMessage {
    init(_ event: NotificationSettingsChanged) {
        self.init()
        if let value = event.deviceClass { deviceClass = DeviceClass(number: value.number) }
        if let value = event.alerts { alerts = Switch(number: value.rawValue) }
        if let value = event.badges { badges = Switch(number: value.rawValue) }
        if let value = event.sounds { sounds = Switch(number: value.rawValue) }
        if let value = event.previews { previews = Focus_Events_V1_Previews(number: value.rawValue) }
        if let value = event.timeSensitive { timeSensitive = Switch(number: value.rawValue) }
        if let value = event.scheduledDelivery { scheduledDelivery = Switch(number: value.rawValue) }
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .notificationSettingsChanged(
            NotificationSettingsChanged(
                deviceClass: try Self.classOfDevice(deviceClass), alerts: try Self.choice(alerts, "alerts"),
                badges: try Self.choice(badges, "badges"), sounds: try Self.choice(sounds, "sounds"),
                previews: previews == .unspecified
                    ? nil : try PreviewsChoice(number: previews.rawValue, field: "previews"),
                timeSensitive: try Self.choice(timeSensitive, "time_sensitive"),
                scheduledDelivery: try Self.choice(scheduledDelivery, "scheduled_delivery")))
    }

    /// The choice in a field; nil when it is absent, which means unchanged.
    private static func choice(_ value: Switch, _ field: String) throws(PayloadError) -> SwitchChoice? {
        value == .unspecified ? nil : try SwitchChoice(number: value.rawValue, field: field)
    }

    /// The device class in a field; nil when it is absent, which means the phone's settings.
    private static func classOfDevice(_ value: DeviceClass) throws(PayloadError) -> ClassOfDevice? {
        guard value != .unspecified else { return nil }
        guard let known = ClassOfDevice(number: Int64(value.rawValue)) else {
            throw .malformed("device_class has the unknown number \(value.rawValue).")
        }
        return known
    }
}

extension Focus_Events_V1_AlertsSilencedChanged: PayloadMessage {
    init(_ event: AlertsSilencedChanged) {
        self.init()
        silenced = event.isSilenced
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: silenced))
    }
}

extension Focus_Events_V1_AppMuted: PayloadMessage {
    init(_ event: AppMuted) {
        self.init()
        untilUs = event.until.microseconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .appMuted(AppMuted(until: Timestamp(microseconds: untilUs)))
    }
}

extension Focus_Events_V1_AppUnmuted: PayloadMessage {
    func eventBody() throws(PayloadError) -> EventBody { .appUnmuted }
}

extension Focus_Events_V1_DeliveryScheduleChanged: PayloadMessage {
    init(_ event: DeliveryScheduleChanged) {
        self.init()
        times = event.times.sorted()
        timeZone = event.timeZone
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .deliveryScheduleChanged(DeliveryScheduleChanged(times: Set(times), timeZone: timeZone))
    }
}

extension Focus_Events_V1_SummaryDelivered: PayloadMessage {
    init(_ event: SummaryDelivered) {
        self.init()
        schedule = Focus_Events_V1_Stamp(event.schedule)
        dueAtUs = event.dueAt.microseconds
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard hasSchedule else { throw .malformed("schedule is missing.") }
        return .summaryDelivered(
            SummaryDelivered(
                schedule: try schedule.stamp(field: "schedule"), dueAt: Timestamp(microseconds: dueAtUs)))
    }
}
