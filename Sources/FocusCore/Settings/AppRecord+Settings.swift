extension AppRecord {
    /// Rule N15: each field is a register.
    mutating func applySettings(
        _ body: NotificationSettingsChanged, _ shared: inout SharedState
    ) throws(FoldError) {
        guard ownSettings.write(body, shared.event.stamp) else { return }
        shared.touch(RowKey(.notificationSettings, app: app))
        try resolveSettings(&shared)
    }

    /// Rule N16: a register. What was decided stays (N10): a mute is judged at the post's stamp.
    mutating func applyMute(_ until: Timestamp?, _ shared: inout SharedState) {
        guard mutes.write(until, shared.event.stamp) else { return }
        shared.touch(RowKey(.notificationSettings, app: app))
        writeSettings(&shared)
    }

    /// Resolves again what the app follows, and derives what depends on it: badge (B2), held alerts (N10).
    mutating func resolveSettings(_ shared: inout SharedState) throws(FoldError) {
        let before = settings
        let showsOtherForms = deriveSettings(&shared)
        writeSettings(&shared)
        guard before != settings else { return }
        if showsOtherForms { resendList(&shared) }
        writeBadge(&shared)
        try decideHeldAgain(&shared)
    }

    /// Derives the effective settings. Returns whether some class of device begins or stops showing the hidden form of
    /// the app's notifications.
    @discardableResult
    mutating func deriveSettings(_ shared: inout SharedState) -> Bool {
        settings = EffectiveSettings(app: ownSettings, default: shared.defaultSettings)
        return shared.store.hiddenPreviews.set(app, settings)
    }

    /// Rule N13: when a class begins or stops showing the hidden form, every device is sent the app's list again. A
    /// cursor says nothing of forms, so the rows' versions must.
    private mutating func resendList(_ shared: inout SharedState) {
        shared.count(list.records.count)
        // Sorted: pages take the rows of an event in the order of their keys, which is found fast where they are in it.
        for id in list.records.filter({ $0.value.isListed }).keys.sorted() {
            let key = RowKey(.notifications, app: app, key: id.text)
            if shared.store.resend(key, at: shared.event.version) { shared.touch(key) }
        }
    }

    /// Writes the row of a registered app, if anything was ever set for it or for all apps.
    mutating func writeSettings(_ shared: inout SharedState) {
        guard isRegistered,
            ownSettings.isWritten || mutes.isWritten || shared.defaultSettings.isWritten
        else { return }
        let row = NotificationSettingsRow(
            effective: settings.byClass, own: ownSettings.own, mutedUntil: mutes.until)
        shared.put(RowKey(.notificationSettings, app: app), row.encoded)
    }
}
