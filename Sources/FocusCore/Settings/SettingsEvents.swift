/// `notificationSettings.changed` (rule N15): each field is a register of (app or default, class, field); nil leaves it
/// unchanged.
public struct NotificationSettingsChanged: Hashable, Sendable {
    /// The class that the change is for; nil for the phone, which every class follows until it has its own.
    public var deviceClass: DeviceClass?
    public var alerts: SwitchChoice?
    public var badges: SwitchChoice?
    public var sounds: SwitchChoice?
    public var previews: PreviewsChoice?
    public var timeSensitive: SwitchChoice?
    public var scheduledDelivery: SwitchChoice?

    public init(
        deviceClass: DeviceClass? = nil, alerts: SwitchChoice? = nil, badges: SwitchChoice? = nil,
        sounds: SwitchChoice? = nil, previews: PreviewsChoice? = nil, timeSensitive: SwitchChoice? = nil,
        scheduledDelivery: SwitchChoice? = nil
    ) {
        self.deviceClass = deviceClass
        self.alerts = alerts
        self.badges = badges
        self.sounds = sounds
        self.previews = previews
        self.timeSensitive = timeSensitive
        self.scheduledDelivery = scheduledDelivery
    }
}

public enum SwitchChoice: Int32, Hashable, Sendable, CaseIterable {
    case on = 1
    case off
    /// The field has no value of its own any more.
    case follow
}

public enum PreviewsChoice: Int32, Hashable, Sendable, CaseIterable {
    case always = 1
    case whenUnlocked, never
    /// The field has no value of its own any more.
    case follow
}

/// `alertsSilenced.changed` (rule N17): one switch above what is set for apps. A register.
public struct AlertsSilencedChanged: Hashable, Sendable {
    /// Whether nothing rings from now on, but for government alerts.
    public var isSilenced: Bool
    public init(isSilenced: Bool) { self.isSilenced = isSilenced }
}

/// `app.muted` (rule N16).
public struct AppMuted: Hashable, Sendable {
    /// Posts before this moment do not ring; one at exactly this moment does.
    public var until: Timestamp
    public init(until: Timestamp) { self.until = until }
}

/// `deliverySchedule.changed` (rule N16): when summaries come. A register.
public struct DeliveryScheduleChanged: Hashable, Sendable {
    /// Minutes after local midnight, 0…1,439, at most 24 of them. Without any there is no scheduled delivery.
    public var times: Set<Int32>
    /// A name of the IANA time-zone database; only the scheduler knows what it means (§8).
    public var timeZone: String

    public init(times: Set<Int32>, timeZone: String) {
        self.times = times
        self.timeZone = timeZone
    }
}

/// `summary.delivered` (rule T3), appended by the server: what waits for the summary is released.
public struct SummaryDelivered: Hashable, Sendable {
    /// The stamp of the schedule's write that the summary belongs to.
    public var schedule: Stamp
    /// When it was due; also the event's `occurredAt`.
    public var dueAt: Timestamp

    public init(schedule: Stamp, dueAt: Timestamp) {
        self.schedule = schedule
        self.dueAt = dueAt
    }
}
