@testable import FocusCore

extension ReferenceModel {
    /// The greatest write of one field in one place; `follow` and nothing are nil.
    private func own<Choice: Equatable>(
        _ app: AppID?, _ deviceClass: DeviceClass, _ field: KeyPath<NotificationSettingsChanged, Choice?>,
        except follow: Choice
    ) -> Choice? {
        let greatest = written.compactMap { event, stamp -> (Choice, Stamp)? in
            guard case .notificationSettingsChanged(let change) = event.body, event.app == app,
                change.deviceClass ?? .phone == deviceClass, let value = change[keyPath: field]
            else { return nil }
            return (value, stamp)
        }.max { $0.1 < $1.1 }
        return greatest?.0 == follow ? nil : greatest?.0
    }

    /// N15: the first place of four that says anything.
    private func first<Choice: Equatable>(
        _ app: AppID?, _ deviceClass: DeviceClass, _ field: KeyPath<NotificationSettingsChanged, Choice?>,
        except follow: Choice
    ) -> Choice? {
        let ofApp =
            app == nil ? nil : own(app, deviceClass, field, except: follow) ?? own(app, .phone, field, except: follow)
        return ofApp ?? own(nil, deviceClass, field, except: follow) ?? own(nil, .phone, field, except: follow)
    }

    func settings(_ app: AppID?, _ deviceClass: DeviceClass) -> NotificationSettings {
        func isOn(_ field: KeyPath<NotificationSettingsChanged, SwitchChoice?>, else value: Bool) -> Bool {
            first(app, deviceClass, field, except: .follow).map { $0 == .on } ?? value
        }
        var settings = NotificationSettings()
        settings.alerts = isOn(\.alerts, else: true)
        settings.badges = isOn(\.badges, else: true)
        settings.sounds = isOn(\.sounds, else: true)
        settings.timeSensitive = isOn(\.timeSensitive, else: true)
        settings.scheduledDelivery = isOn(\.scheduledDelivery, else: false)
        switch first(app, deviceClass, \.previews, except: .follow) {
        case .whenUnlocked: settings.previews = .whenUnlocked
        case .never: settings.previews = .never
        case .always, .follow, nil: settings.previews = .always
        }
        return settings
    }

    /// Whether anything was ever set for the app or for all, or it was ever muted.
    func hasSettings(_ app: AppID?) -> Bool {
        written.contains { event, _ in
            switch event.body {
            case .notificationSettingsChanged(let change):
                (event.app == nil || event.app == app)
                    && (change.alerts != nil || change.badges != nil || change.sounds != nil || change.previews != nil
                        || change.timeSensitive != nil || change.scheduledDelivery != nil)
            case .appMuted, .appUnmuted: app != nil && event.app == app
            default: false
            }
        }
    }

    /// N16.
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
