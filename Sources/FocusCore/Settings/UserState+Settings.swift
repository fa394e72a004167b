extension UserState {
    /// Rule N15: each field of the default for all apps is a register, and every app may follow it.
    mutating func applyDefaultSettings(_ body: NotificationSettingsChanged) throws(FoldError) {
        guard shared.defaultSettings.write(body, shared.event.stamp) else { return }
        let key = RowKey(.notificationSettings)
        shared.touch(key)
        let table = shared.defaultSettings
        let effective = EffectiveSettings(app: SettingsTable(), default: table)
        shared.put(key, NotificationSettingsRow(effective: effective.byClass, own: table.own).encoded)
        for slot in apps.indices { try apps[slot].resolveSettings(&shared) }
    }

    /// Derives each app's effective settings, once the rows of every app and of the default are loaded.
    mutating func deriveSettings() {
        for slot in apps.indices where apps[slot].ownSettings.isWritten || shared.defaultSettings.isWritten {
            apps[slot].deriveSettings(&shared)
        }
    }
}
