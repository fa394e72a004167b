extension AppRecord {
    /// The greater (build, stamp) wins and replaces all defaults. Rows change where the effective value does (rule D3).
    mutating func applyPreferencesRegistered(_ body: PreferencesRegistered, _ shared: inout SharedState) {
        let stamp = shared.event.stamp
        let former = preferences.defaults
        if let former, !former.yields(to: body.build, stamp) { return }
        var rows: [ByteText: [UInt8]] = [:]
        for entry in body.defaults.entries {
            rows[ByteText(entry.key)] = PreferenceRow(value: entry.value).encoded
        }
        preferences.defaults = PreferenceDefaults(build: body.build, stamp: stamp, rows: rows)
        shared.touch(RowKey(.preferenceDefaults, app: app))
        for entry in body.defaults.entries { writePreference(ByteText(entry.key), &shared) }
        for key in (former?.rows.keys.sorted() ?? []) where rows[key] == nil { writePreference(key, &shared) }
    }

    /// Rule E3: each key is a register; being reset is one of its values.
    mutating func applyPreferenceChanged(_ body: PreferenceChanged, _ shared: inout SharedState) {
        guard preferences.write(ByteText(body.key), isSet: true, shared.event.stamp) else { return }
        let key = RowKey(.preferences, app: app, key: body.key)
        shared.touch(key)
        shared.put(key, PreferenceRow(value: body.value).encoded)
    }

    mutating func applyPreferenceReset(_ body: PreferenceReset, _ shared: inout SharedState) {
        let key = ByteText(body.key)
        guard preferences.write(key, isSet: false, shared.event.stamp) else { return }
        shared.touch(RowKey(.preferences, app: app, key: body.key))
        writePreference(key, &shared)
        for forgotten in preferences.forgetResets() {
            shared.touch(RowKey(.preferences, app: app, key: forgotten.text))
        }
    }

    /// Writes the row of a key that nobody has set: its default, or nothing (rule D1). A set value stays.
    private mutating func writePreference(_ key: ByteText, _ shared: inout SharedState) {
        guard !preferences.isSet(key) else { return }
        let rowKey = RowKey(.preferences, app: app, key: key.text)
        if let row = preferences.defaults?.rows[key] {
            shared.put(rowKey, row)
        } else {
            shared.remove(rowKey)
        }
    }

    /// Rule E5. A registration that loses for certain changes nothing, so it needs no room.
    func registrationRefusal(_ body: PreferencesRegistered) -> Refusal? {
        if let build = preferences.defaults?.build, build > body.build { return nil }
        return preferences.hasRoom(forDefaults: body.defaults.entries.map { ByteText($0.key) })
            ? nil : Self.tooManyPreferences
    }

    /// Rule E5.
    func changeRefusal(_ body: PreferenceChanged) -> Refusal? {
        preferences.hasRoom(forSetting: ByteText(body.key)) ? nil : Self.tooManyPreferences
    }

    private static let tooManyPreferences = Refusal(
        .tooManyPreferences,
        "an app has at most \(EventLimits.preferencesPerApp) preferences, set or registered, for one user")
}
