extension UserState {
    /// Why the event must not be logged as itself (rule E2); nil when it may. `event.version` is not looked at.
    ///
    /// The order of the checks: what the session may append at all (A4, A3), shape and size (E5), the clock (E4), the
    /// rules of its domain. A payload's bytes are checked where they are decoded.
    /// - Parameter isConnected: whether a device of the user has a session now (rule A3).
    public func validate(
        _ event: Event, scope: Scope, isConnected: (DeviceID) -> Bool = { _ in false }
    ) -> Refusal? {
        if let refusal = EventScope.refusal(event, scope) { return refusal }
        if isRevoked(event.device) { return Refusal(.forbidden, "the device was revoked") }
        if let refusal = EventShape.refusal(event) { return refusal }
        let latest = event.recordedAt.adding(microseconds: EventLimits.clockSkewMicroseconds)
        if event.occurredAt > latest {
            return Refusal(.clockSkew, "occurred_at is more than 5 minutes ahead of the server's clock")
        }
        if case .deviceRevoked(let body) = event.body { return revocationRefusal(body, isConnected: isConnected) }
        return domainRefusal(event, scope)
    }

    private func domainRefusal(_ event: Event, _ scope: Scope) -> Refusal? {
        switch event.body {
        case .appRegistered, .authorizationChanged, .focusStatusReported: roomForApp(event.app, scope)
        case .audienceChanged(let body): roomForApp(event.app, scope) ?? roomForAudience(body, event.app)
        case .focusConfigured(let body): roomForFocus(body.focusID)
        case .focusRemoved(let body): roomForFocus(body.focusID)
        case .focusChanged(let body): roomForFocus(body.focusID)
        case .focusExpired(let body): expirationRefusal(body, event)
        case .notificationPosted(let body): registered(event.app, or: { postRefusal(body, $0) })
        case .notificationRead, .notificationRemoved, .badgeCleared: registered(event.app, or: { _ in nil })
        case .interactionDonated(let body): registered(event.app, or: { apps[$0].donationRefusal(body, event) })
        case .interactionDeleted, .categoriesRegistered: registered(event.app, or: { _ in nil })
        case .notificationActionPerformed(let body):
            registered(event.app, or: { apps[$0].actionRefusal(body, at: nextStamp(event), shared) })
        case .routeStarted(let body): registered(event.app, or: { apps[$0].startRefusal(body) })
        case .routeLocationsInserted(let body):
            registered(event.app, or: { apps[$0].insertRefusal(body, event.device, at: { nextStamp(event) }) })
        case .workoutSaved(let body):
            registered(event.app, or: { apps[$0].workoutRefusal(body, at: { nextStamp(event) }) })
        case .routeFinished(let body):
            registered(event.app, or: { apps[$0].finishRefusal(body, event.device, at: { nextStamp(event) }) })
        case .routeDiscarded(let body):
            registered(event.app, or: { apps[$0].discardRefusal(body, event.device, scope) })
        case .notificationSettingsChanged, .appMuted, .appUnmuted: roomForApp(event.app, scope)
        case .deliveryScheduleChanged, .alertsSilencedChanged: nil
        case .governmentAlertPosted(let body): registered(event.app, or: { postRefusal(body.post, $0) })
        case .actionHandled(let body): registered(event.app, or: { apps[$0].handledRefusal(body) })
        case .summaryDelivered(let body): summaryRefusal(body, event)
        case .deviceActivity(let body): activityRefusal(body)
        case .deviceActivityEnded(let body): activityEndRefusal(body)
        case .alertRingsElsewhere(let body): ringRefusal(body, event)
        case .preferencesRegistered(let body): registered(event.app, or: { apps[$0].registrationRefusal(body) })
        case .preferenceChanged(let body): registered(event.app, or: { apps[$0].changeRefusal(body) })
        case .preferenceReset: registered(event.app, or: { _ in nil })
        case .deviceRevoked: nil
        case .eventRefused, .projectionRebuilt: Refusal(.forbidden, "\(event.body.type.rawValue) is the server's own")
        case .deviceIncarnationBegan, .deviceIncarnationEnded:
            Refusal(.forbidden, "\(event.body.type.rawValue) is the server's own")
        case .deviceEventsLost: Refusal(.forbidden, "device.eventsLost is the server's own: say Lost")
        }
    }

    /// Checks rule C2, and then what the rules say about the registered app at that slot.
    private func registered(_ app: AppID?, or refusal: (Int) -> Refusal?) -> Refusal? {
        guard let app, let slot = appSlots[app], apps[slot].isRegistered else {
            return Refusal(.appUnknown, "the app is not registered: a system session must append app.registered first")
        }
        return refusal(slot)
    }

    /// Rule T1: an expiration that is no longer due when it would be written is not written.
    private func expirationRefusal(_ body: FocusExpired, _ event: Event) -> Refusal? {
        guard let due = dueExpiration, due.event == body, due.at <= event.recordedAt else {
            return Refusal(.fieldInvalid, "no such activation is due to end")
        }
        return nil
    }

    /// Rule E5. An app that speaks for itself always has room: else the answer would tell it of others (rule Z1), and
    /// how many apps have tokens is up to whoever signs them.
    private func roomForApp(_ app: AppID?, _ scope: Scope) -> Refusal? {
        guard scope == .system, let app, appSlots[app] == nil, apps.count >= EventLimits.appsPerUser else { return nil }
        return Refusal(.tooMany, "a user has at most \(EventLimits.appsPerUser) apps")
    }

    private func roomForAudience(_ body: AudienceChanged, _ app: AppID?) -> Refusal? {
        guard let app, let slot = appSlots[app] else { return nil }
        return apps[slot].audienceRefusal(body)
    }

    private func roomForFocus(_ id: String) -> Refusal? {
        let entries = shared.focus.entries
        guard entries.count >= EventLimits.focusesPerUser, entries[ByteText(id)] == nil else { return nil }
        return Refusal(.tooMany, "a user has at most \(EventLimits.focusesPerUser) Focuses, removed ones included")
    }
}
