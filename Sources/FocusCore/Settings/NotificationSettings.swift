/// What notifications of an app may do on a class of device, once everything that it follows is looked up (rule N15).
/// The defaults are what holds where nothing was ever set.
public struct NotificationSettings: Hashable, Sendable {
    /// Rule N9.1.
    public var alerts = true
    /// Rule B2.
    public var badges = true
    public var sounds = true
    public var previews = NotificationPreviews.always
    /// Whether time-sensitive notifications may break through (rule N9).
    public var timeSensitive = true
    /// Whether alerts wait for the summary (rule N9.5). Without any time in the schedule nothing waits.
    public var scheduledDelivery = false

    public init() {}
}

/// When a notification's content is shown (rule N13).
public enum NotificationPreviews: Int32, Hashable, Sendable, CaseIterable {
    case always = 1
    case whenUnlocked, never
}

/// What was set in one place (for an app or by default, for one class); a field is nil when it follows.
public struct OwnSettings: Hashable, Sendable {
    public var alerts: Bool?
    public var badges: Bool?
    public var sounds: Bool?
    public var previews: NotificationPreviews?
    public var timeSensitive: Bool?
    public var scheduledDelivery: Bool?

    public init() {}
}

extension NotificationSettings {
    mutating func override(by own: OwnSettings) {
        alerts = own.alerts ?? alerts
        badges = own.badges ?? badges
        sounds = own.sounds ?? sounds
        previews = own.previews ?? previews
        timeSensitive = own.timeSensitive ?? timeSensitive
        scheduledDelivery = own.scheduledDelivery ?? scheduledDelivery
    }
}

/// An app's settings as every rule reads them.
struct EffectiveSettings: Hashable, Sendable {
    let byClass: ByClass<NotificationSettings>
    /// The classes whose settings differ from the phone's; nearly always none.
    let differing: [DeviceClass]

    init() {
        byClass = ByClass(repeating: NotificationSettings())
        differing = []
    }

    /// Rule N15. What was set for the app precedes what was set for all apps; in each, a class's own value precedes the
    /// phone's. So (app, class), (app, phone), (all apps, class), (all apps, phone), field by field: turning an app's
    /// alerts off on the phone silences the watch too, whatever the watch does with apps for which nothing was set.
    init(app: SettingsTable, default common: SettingsTable) {
        var settings = NotificationSettings()
        settings.override(by: common[.phone].own)
        var byClass = ByClass(repeating: settings)
        for deviceClass in DeviceClass.allCases {
            if deviceClass != .phone { byClass[deviceClass].override(by: common[deviceClass].own) }
            byClass[deviceClass].override(by: app[.phone].own)
            if deviceClass != .phone { byClass[deviceClass].override(by: app[deviceClass].own) }
        }
        self.init(byClass)
    }

    init(_ byClass: ByClass<NotificationSettings>) {
        self.byClass = byClass
        differing = DeviceClass.followers.filter { byClass[$0] != byClass.phone }
    }

    var phone: NotificationSettings { byClass.phone }
    subscript(deviceClass: DeviceClass) -> NotificationSettings { byClass[deviceClass] }
}
