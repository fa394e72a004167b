import FocusCore

/// What an event says, in a sentence.
enum EventSentence {
    static func text(_ event: Event) -> String {
        let app = event.app?.rawValue ?? "all apps"
        switch event.body {
        case .appRegistered(let body): return "\(app) was registered as \(body.name), build \(body.build)"
        case .authorizationChanged(let body): return "\(body.kind.name) of \(app) became \(word(body.status))"
        case .focusConfigured(let body): return "Focus \(body.focusID) (\(body.name)) was set up: \(allows(body))"
        case .focusRemoved(let body): return "Focus \(body.focusID) was removed"
        case .focusChanged(let body): return focus(body)
        case .focusStatusReported(let body):
            return "\(app) was told: \(body.isFocused.map { $0 ? "focused" : "not focused" } ?? "nothing any more")"
        case .focusExpired(let body): return "Focus \(body.focusID) ended by itself"
        case .audienceChanged(let body):
            return "audience of \(app): \(body.add.count) added, \(body.remove.count) removed"
        case .badgeCleared: return "the badge of \(app) was cleared"
        case .eventRefused(let body): return "refused: \(body.type) (\(body.code)): \(body.message)"
        case .preferencesRegistered(let body): return "\(app) registered defaults, build \(body.build)"
        case .preferenceChanged(let body): return "preference \(body.key) of \(app) was set"
        case .preferenceReset(let body): return "preference \(body.key) of \(app) was reset"
        case .notificationPosted(let body): return posted(body, app)
        case .notificationRead(let body): return "\(list(body.ids)) of \(app) read"
        case .notificationRemoved(let body): return "\(list(body.ids)) of \(app) removed"
        case .notificationActionPerformed(let body): return performed(body, app)
        case .categoriesRegistered(let body): return "\(app) registered \(body.categories.count) categories"
        case .notificationSettingsChanged: return "notification settings of \(app) changed"
        case .appMuted(let body): return "\(app) was muted until \(body.until.rfc3339)"
        case .appUnmuted: return "\(app) was unmuted"
        case .deliveryScheduleChanged(let body): return schedule(body)
        case .alertsSilencedChanged(let body):
            return body.isSilenced ? "all apps were silenced" : "apps were not silenced any more"
        case .actionHandled(let body):
            return body.id.map { "\(app) has handled what event \($0) performed" } ?? "\(app) handles actions"
        case .governmentAlertPosted(let body): return "\(posted(body.post, app)), an alert of a government"
        case .deviceActivity(let body):
            return "device \(body.device) is in use\(body.app.map { ", with \($0) in front" } ?? "")"
        case .deviceActivityEnded(let body): return "device \(body.device) is not in use any more (\(body.scope.text))"
        case .alertRingsElsewhere(let body):
            return "what was unread at \(body.dueAt.rfc3339) was to ring on the other devices"
        case .summaryDelivered(let body): return "the summary due at \(body.dueAt.rfc3339) was delivered"
        case .interactionDonated(let body):
            return "\(app) donated \(body.direction == .incoming ? "an incoming" : "an outgoing") interaction"
        case .interactionDeleted: return "\(app) took back interactions"
        case .routeStarted(let body): return "route \(body.routeID) of \(app) started (\(body.activity))"
        case .routeLocationsInserted(let body): return "\(body.points.count) points of route \(body.routeID)"
        case .workoutSaved(let body): return "workout \(body.workoutID) saved (\(body.activity))"
        case .routeFinished(let body): return "route \(body.routeID) finished, of workout \(body.workoutID)"
        case .deviceRevoked(let body): return "device \(body.device) was revoked"
        case .deviceIncarnationBegan(let body):
            return "device \(body.device) counts its events anew (\(body.scope.text))"
        case .deviceIncarnationEnded(let body):
            return "a former count of device \(body.device) ended (\(body.scope.text))"
        case .deviceEventsLost(let body): return "events \(body.first) to \(body.last) of its device are lost"
        case .projectionRebuilt(let body):
            return "generation \(body.generation) of the read model shows \(body.rows.count) rows differently"
        case .routeDiscarded(let body): return "route \(body.routeID) discarded"
        }
    }

    private static func posted(_ body: NotificationPosted, _ app: String) -> String {
        let title = body.title.map { " “\($0)”" } ?? ""
        return "\(app) posted \(body.notificationID)\(title), \(body.level)\(body.marketing ? ", marketing" : "")"
    }

    private static func performed(_ body: NotificationActionPerformed, _ app: String) -> String {
        switch body.gesture {
        case .action(let id): "action \(id) on \(body.notificationID) of \(app)"
        case .doubleTap: "double tap on \(body.notificationID) of \(app)"
        }
    }

    private static func schedule(_ body: DeliveryScheduleChanged) -> String {
        let times = body.times.sorted().map { "\($0 / 60):\($0 % 60 < 10 ? "0" : "")\($0 % 60)" }
        return "summaries at \(times.isEmpty ? "no time" : times.joined(separator: ", ")) in \(body.timeZone)"
    }

    private static func focus(_ body: FocusChanged) -> String {
        guard body.isActive else { return "Focus \(body.focusID) went off" }
        return "Focus \(body.focusID) went on" + (body.endsAt.map { " until \($0.rfc3339)" } ?? "")
    }

    private static func allows(_ body: FocusConfigured) -> String {
        let apps = body.allowedApps.sorted().map(\.rawValue)
        let names =
            apps + body.allowedPeople.sorted().map(\.text) + (body.allowsTimeSensitive ? ["time sensitive"] : [])
        return names.isEmpty ? "lets nothing through" : "lets through \(names.joined(separator: ", "))"
    }

    private static func list(_ ids: [String]) -> String {
        ids.count <= 3
            ? ids.joined(separator: ", ") : "\(ids.prefix(2).joined(separator: ", ")) and \(ids.count - 2) more"
    }

    private static func word(_ status: AuthorizationStatus) -> String { "\(status)" }
}
