extension UserState {
    /// Rule N15: each field of the default for all apps is a register, and every app may follow it.
    mutating func applyDefaultSettings(_ body: NotificationSettingsChanged) throws(FoldError) {
        guard shared.defaultSettings.write(body, shared.event.stamp) else { return }
        writeDefaultSettings()
        for slot in slotsByID() { try apps[slot].resolveSettings(&shared) }
    }

    /// Rule N17: a register. It decides nothing again: what is held may still ring if the switch is off by then.
    mutating func applySilenced(_ body: AlertsSilencedChanged) {
        guard shared.silence.write(body.isSilenced, shared.event.stamp) else { return }
        writeDefaultSettings()
    }

    private mutating func writeDefaultSettings() {
        let key = RowKey(.notificationSettings)
        shared.touch(key)
        let table = shared.defaultSettings
        let effective = EffectiveSettings(app: SettingsTable(), default: table)
        let row = NotificationSettingsRow(
            effective: effective.byClass, own: table.own, isSilenced: shared.silence?.value ?? false)
        shared.put(key, row.encoded)
    }

    /// Derives each app's effective settings, once the rows of every app and of the default are loaded.
    mutating func deriveSettings() {
        for slot in apps.indices where apps[slot].ownSettings.isWritten || shared.defaultSettings.isWritten {
            apps[slot].deriveSettings(&shared)
        }
    }
}
