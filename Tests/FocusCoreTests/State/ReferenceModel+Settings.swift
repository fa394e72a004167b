@testable import FocusCore

extension ReferenceModel {
    /// The last value of each field that was set in one place: all writes in the order of their stamps.
    private func written(_ app: AppID?, _ deviceClass: DeviceClass) -> NotificationSettingsChanged {
        var last = NotificationSettingsChanged()
        for (change, place, _) in settingsWritten.sorted(by: { $0.stamp < $1.stamp })
        where place == app && change.deviceClass ?? .phone == deviceClass {
            last.alerts = change.alerts ?? last.alerts
            last.badges = change.badges ?? last.badges
            last.sounds = change.sounds ?? last.sounds
            last.previews = change.previews ?? last.previews
            last.timeSensitive = change.timeSensitive ?? last.timeSensitive
            last.scheduledDelivery = change.scheduledDelivery ?? last.scheduledDelivery
        }
        return last
    }

    /// Rule N15: the first of four places that has a value.
    func settings(_ app: AppID?, _ deviceClass: DeviceClass) -> NotificationSettings {
        let ofApp = app.map { [written($0, deviceClass), written($0, .phone)] } ?? []
        let places = ofApp + [written(nil, deviceClass), written(nil, .phone)]
        func isOn(_ field: (NotificationSettingsChanged) -> SwitchChoice?, else value: Bool) -> Bool {
            places.compactMap(field).first { $0 != .follow }.map { $0 == .on } ?? value
        }
        var settings = NotificationSettings()
        settings.alerts = isOn({ $0.alerts }, else: true)
        settings.badges = isOn({ $0.badges }, else: true)
        settings.sounds = isOn({ $0.sounds }, else: true)
        settings.timeSensitive = isOn({ $0.timeSensitive }, else: true)
        settings.scheduledDelivery = isOn({ $0.scheduledDelivery }, else: false)
        switch places.compactMap(\.previews).first(where: { $0 != .follow }) {
        case .whenUnlocked: settings.previews = .whenUnlocked
        case .never: settings.previews = .never
        case .always, .follow, nil: settings.previews = .always
        }
        return settings
    }

    /// Whether anything was ever set for the app or for all apps, or the app was ever muted.
    func hasSettings(_ app: AppID?) -> Bool {
        settingsWritten.contains { change, place, _ in
            (place == nil || place == app) && change != NotificationSettingsChanged(deviceClass: change.deviceClass)
        }
            || written.contains { event, _ in
                switch event.body {
                case .appMuted, .appUnmuted: app != nil && event.app == app
                default: false
                }
            }
    }

    /// The end of the app's mute (rule N16).
    func mutedUntil(_ app: AppID) -> Timestamp? {
        written.compactMap { event, stamp -> (Timestamp?, Stamp)? in
            guard event.app == app else { return nil }
            switch event.body {
            case .appMuted(let body): return (body.until, stamp)
            case .appUnmuted: return (nil, stamp)
            default: return nil
            }
        }.max { $0.1 < $1.1 }?.0
    }
}
