extension UserState {
    /// Rule N15: each field is a register. `slot` is nil for the default of all apps.
    mutating func applySettings(
        _ body: NotificationSettingsChanged, _ slot: Int?, _ context: inout FoldContext
    ) throws(FoldError) {
        guard let slot else {
            guard defaultSettings.write(body, context.stamp) else { return }
            writeDefaultSettings(&context)
            for slot in apps.indices { try resolveSettings(slot, &context) }
            return
        }
        guard apps[slot].ownSettings.write(body, context.stamp) else { return }
        context.touch(RowKey(.notificationSettings, app: apps[slot].app))
        try resolveSettings(slot, &context)
    }

    /// Rule N16: a register. What was decided stays (N10): a mute is judged at the post's stamp.
    mutating func applyMute(_ until: Timestamp?, _ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].mutes.write(until, context.stamp) else { return }
        context.touch(RowKey(.notificationSettings, app: apps[slot].app))
        writeSettings(slot, &context)
    }

    /// Resolves again what the app follows, and derives what depends on it: badge (B2), held alerts (N10).
    private mutating func resolveSettings(_ slot: Int, _ context: inout FoldContext) throws(FoldError) {
        let before = apps[slot].settings
        apps[slot].settings = EffectiveSettings(app: apps[slot].ownSettings, default: defaultSettings)
        writeSettings(slot, &context)
        guard before != apps[slot].settings else { return }
        hidePreviews(slot, &context)
        writeBadge(slot, &context)
        try decideHeldAgain(slot, &context)
    }

    /// Rule N13: when a class begins or stops showing the hidden form, every device is sent the app's list again. A
    /// cursor says nothing of forms, so the rows' versions must.
    private mutating func hidePreviews(_ slot: Int, _ context: inout FoldContext) {
        guard store.hiddenPreviews.set(apps[slot].app, apps[slot].settings) else { return }
        for (id, record) in apps[slot].list.records where record.isListed {
            let key = RowKey(.notifications, app: apps[slot].app, key: id.text)
            if store.touch(key, at: context.version) { context.touch(key) }
        }
    }

    /// Writes the row of a registered app, if anything was ever set for it or for all apps.
    mutating func writeSettings(_ slot: Int, _ context: inout FoldContext) {
        let record = apps[slot]
        guard record.registration != nil,
            record.ownSettings.isWritten || record.mutes.isWritten || defaultSettings.isWritten
        else { return }
        let row = NotificationSettingsRow(
            effective: record.settings.byClass, own: record.ownSettings.own, mutedUntil: record.mutes.until)
        put(RowKey(.notificationSettings, app: record.app), row.encoded, &context)
    }

    private mutating func writeDefaultSettings(_ context: inout FoldContext) {
        let key = RowKey(.notificationSettings)
        context.touch(key)
        let effective = EffectiveSettings(app: SettingsTable(), default: defaultSettings)
        put(key, NotificationSettingsRow(effective: effective.byClass, own: defaultSettings.own).encoded, &context)
    }

    /// What rule N9 looks at besides the post, its app and the Focus: the class's settings (N15), mutes and the
    /// schedule (N16).
    func applySettings(
        to inputs: inout AlertInputs, _ post: NotificationPost, _ slot: Int, _ deviceClass: DeviceClass
    ) {
        let settings = apps[slot].settings[deviceClass]
        inputs.alertsOn = settings.alerts
        inputs.timeSensitiveOn = settings.timeSensitive
        inputs.isMuted = apps[slot].mutes.isMuted(at: post.stamp)
        inputs.inScheduledDelivery = settings.scheduledDelivery && summary.holdsAlerts
    }
}

extension SettingsTable {
    fileprivate var own: ByClass<OwnSettings> {
        var own = ByClass(repeating: OwnSettings())
        for deviceClass in DeviceClass.allCases { own[deviceClass] = self[deviceClass].own }
        return own
    }
}
