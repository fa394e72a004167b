extension UserState {
    /// Why the event must not be logged as itself (rule E2); nil when it may. `event.version` is not looked at.
    ///
    /// The order of the checks: what the session may append at all (A4, A3), shape and size (E5), the clock (E4), the
    /// rules of its domain. A payload's bytes are checked where they are decoded.
    public func validate(_ event: Event, scope: Scope) -> Refusal? {
        if let refusal = EventScope.refusal(event, scope) { return refusal }
        if isRevoked(event.device) { return Refusal(.forbidden, "the device was revoked") }
        if let refusal = EventShape.refusal(event) { return refusal }
        let latest = event.recordedAt.adding(microseconds: EventLimits.clockSkewMicroseconds)
        if event.occurredAt > latest {
            return Refusal(.clockSkew, "occurred_at is more than 5 minutes ahead of the server's clock")
        }
        return domainRefusal(event, scope)
    }

    private func domainRefusal(_ event: Event, _ scope: Scope) -> Refusal? {
        switch event.body {
        case .appRegistered, .authorizationChanged, .focusStatusReported: roomForApp(event.app)
        case .audienceChanged(let body): roomForApp(event.app) ?? roomForAudience(body, event.app)
        case .focusConfigured(let body): roomForFocus(body.focusID)
        case .focusRemoved(let body): roomForFocus(body.focusID)
        case .focusChanged(let body): roomForFocus(body.focusID)
        case .focusExpired(let body): expirationRefusal(body, event)
        case .notificationPosted(let body): registered(event.app, or: { postRefusal(body, $0) })
        case .notificationRead, .notificationRemoved, .badgeCleared: registered(event.app, or: { _ in nil })
        case .interactionDonated(let body): registered(event.app, or: { donationRefusal(body, event, $0) })
        case .interactionDeleted, .categoriesRegistered: registered(event.app, or: { _ in nil })
        case .notificationActionPerformed(let body):
            registered(event.app, or: { actionRefusal(body, event, $0) })
        case .routeStarted(let body): registered(event.app, or: { startRefusal(body, $0) })
        case .routeLocationsInserted(let body): registered(event.app, or: { insertRefusal(body, event.device, $0) })
        case .workoutSaved(let body): registered(event.app, or: { workoutRefusal(body, $0) })
        case .routeFinished(let body): registered(event.app, or: { finishRefusal(body, event.device, $0) })
        case .routeDiscarded(let body):
            registered(event.app, or: { discardRefusal(body, event.device, scope, $0) })
        case .notificationSettingsChanged, .appMuted, .appUnmuted: roomForApp(event.app)
        case .deliveryScheduleChanged: nil
        case .summaryDelivered(let body): summaryRefusal(body, event)
        case .preferencesRegistered(let body): registered(event.app, or: { registrationRefusal(body, $0) })
        case .preferenceChanged(let body): registered(event.app, or: { changeRefusal(body, $0) })
        case .preferenceReset: registered(event.app, or: { _ in nil })
        case .deviceRevoked(let body): revocationRefusal(body)
        case .eventRefused, .projectionRebuilt: Refusal(.forbidden, "\(event.body.type.rawValue) is the server's own")
        case .deviceIncarnationBegan, .deviceIncarnationEnded:
            Refusal(.forbidden, "\(event.body.type.rawValue) is the server's own")
        case .deviceEventsLost: Refusal(.forbidden, "device.eventsLost is the server's own: say Lost")
        }
    }

    /// Checks rule C2, and then what the rules say about the registered app at that slot.
    private func registered(_ app: AppID?, or refusal: (Int) -> Refusal?) -> Refusal? {
        guard let app, let slot = appSlots[app], apps[slot].registration != nil else {
            return Refusal(.appUnknown, "the app is not registered: a system session must append app.registered first")
        }
        return refusal(slot)
    }

    /// Rules N2 to N5.
    private func postRefusal(_ body: NotificationPosted, _ slot: Int) -> Refusal? {
        switch apps[slot].status(.notifications) {
        case .authorized, .provisional: break
        case .notDetermined, .denied, .restricted, .notSupported:
            return Refusal(.notAuthorized, "notifications are neither authorized nor provisional for this app")
        }
        if body.marketing, let refusal = marketingRefusal(body, slot) { return refusal }
        if let id = body.interactionID, let refusal = communicationRefusal(id, slot) { return refusal }
        switch body.level {
        case .critical where !apps[slot].has(.critical):
            return Refusal(.entitlementRequired, "level critical needs the capability critical")
        case .timeSensitive where !apps[slot].has(.timeSensitive):
            return Refusal(.capabilityRequired, "level timeSensitive needs the capability timeSensitive")
        case .passive, .active, .timeSensitive, .critical: return nil
        }
    }

    /// Rule N4.
    private func marketingRefusal(_ body: NotificationPosted, _ slot: Int) -> Refusal? {
        if apps[slot].status(.marketing) != .authorized {
            return Refusal(
                .marketingConsentRequired, "the person has not agreed to marketing notifications of this app")
        }
        if body.interactionID != nil {
            return Refusal(.marketingCommunication, "a marketing notification cannot be a communication")
        }
        switch body.level {
        case .passive, .active: return nil
        case .timeSensitive, .critical:
            return Refusal(.marketingInterruptionLevel, "a marketing notification is passive or active")
        }
    }

    /// Rule T1: an expiration that is no longer due when it would be written is not written.
    private func expirationRefusal(_ body: FocusExpired, _ event: Event) -> Refusal? {
        guard let due = dueExpiration, due.event == body, due.at <= event.recordedAt else {
            return Refusal(.fieldInvalid, "no such activation is due to end")
        }
        return nil
    }

    private func roomForApp(_ app: AppID?) -> Refusal? {
        guard let app, appSlots[app] == nil, apps.count >= EventLimits.appsPerUser else { return nil }
        return Refusal(.tooMany, "a user has at most \(EventLimits.appsPerUser) apps")
    }

    private func roomForFocus(_ id: String) -> Refusal? {
        guard focus.entries.count >= EventLimits.focusesPerUser, focus.entries[ByteText(id)] == nil else { return nil }
        return Refusal(.tooMany, "a user has at most \(EventLimits.focusesPerUser) Focuses, removed ones included")
    }

    private func roomForAudience(_ body: AudienceChanged, _ app: AppID?) -> Refusal? {
        guard let app, let slot = appSlots[app] else { return nil }
        let known = apps[slot].audience
        guard known.count + body.add.count + body.remove.count > EventLimits.audiencePerApp else { return nil }
        let new = body.add.union(body.remove).count { known[$0] == nil }
        guard known.count + new > EventLimits.audiencePerApp else { return nil }
        return Refusal(
            .tooMany, "an app's audience has at most \(EventLimits.audiencePerApp) members, removed ones included")
    }
}
