/// The registers of rule N15 of one app, or of the default for all apps.
struct SettingsTable: Hashable, Sendable {
    /// Empty until the first write: most apps have none. Then one for each class, in the order of their numbers.
    private var classes: [ClassSettings] = []

    /// Whether anything was ever written, be it `follow`.
    var isWritten: Bool { !classes.isEmpty }

    subscript(deviceClass: DeviceClass) -> ClassSettings {
        get { classes.isEmpty ? ClassSettings() : classes[Int(deviceClass.number) - 1] }
        set {
            if classes.isEmpty {
                classes = Array(repeating: ClassSettings(), count: DeviceClass.allCases.count)
            }
            classes[Int(deviceClass.number) - 1] = newValue
        }
    }

    /// Returns whether any field's write won.
    mutating func write(_ change: NotificationSettingsChanged, _ stamp: Stamp) -> Bool {
        var settings = self[change.deviceClass ?? .phone]
        guard settings.write(change, stamp) else { return false }
        self[change.deviceClass ?? .phone] = settings
        return true
    }

    /// What was set for each class, as rows show it.
    var own: ByClass<OwnSettings> {
        var own = ByClass(repeating: OwnSettings())
        for deviceClass in DeviceClass.allCases { own[deviceClass] = self[deviceClass].own }
        return own
    }
}

/// The registers of one class, each for itself.
struct ClassSettings: Hashable, Sendable {
    var alerts: Register<SwitchChoice>?
    var badges: Register<SwitchChoice>?
    var sounds: Register<SwitchChoice>?
    var previews: Register<PreviewsChoice>?
    var timeSensitive: Register<SwitchChoice>?
    var scheduledDelivery: Register<SwitchChoice>?

    mutating func write(_ change: NotificationSettingsChanged, _ stamp: Stamp) -> Bool {
        let won = [
            change.alerts.map { alerts.write($0, stamp) }, change.badges.map { badges.write($0, stamp) },
            change.sounds.map { sounds.write($0, stamp) }, change.previews.map { previews.write($0, stamp) },
            change.timeSensitive.map { timeSensitive.write($0, stamp) },
            change.scheduledDelivery.map { scheduledDelivery.write($0, stamp) },
        ]
        return won.contains(true)
    }

    var own: OwnSettings {
        var own = OwnSettings()
        own.alerts = alerts?.value.isOn
        own.badges = badges?.value.isOn
        own.sounds = sounds?.value.isOn
        own.previews = previews?.value.previews
        own.timeSensitive = timeSensitive?.value.isOn
        own.scheduledDelivery = scheduledDelivery?.value.isOn
        return own
    }
}

extension SwitchChoice {
    /// Nil when it follows.
    fileprivate var isOn: Bool? {
        switch self {
        case .on: true
        case .off: false
        case .follow: nil
        }
    }
}

extension PreviewsChoice {
    /// Nil when it follows.
    fileprivate var previews: NotificationPreviews? {
        switch self {
        case .always: .always
        case .whenUnlocked: .whenUnlocked
        case .never: .never
        case .follow: nil
        }
    }
}
