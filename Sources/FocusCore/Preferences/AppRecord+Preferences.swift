extension UserState {
    /// The greater (build, stamp) wins and replaces all defaults. Rows change where the effective value does (rule D3).
    mutating func applyPreferencesRegistered(
        _ body: PreferencesRegistered, _ slot: Int, _ context: inout FoldContext
    ) {
        let former = apps[slot].preferences.defaults
        if let former, !former.yields(to: body.build, context.stamp) { return }
        var rows: [ByteText: [UInt8]] = [:]
        for entry in body.defaults.entries {
            rows[ByteText(entry.key)] = PreferenceRow(value: entry.value).encoded
        }
        apps[slot].preferences.defaults = PreferenceDefaults(build: body.build, stamp: context.stamp, rows: rows)
        context.touch(RowKey(.preferenceDefaults, app: apps[slot].app))
        for entry in body.defaults.entries { writePreference(ByteText(entry.key), slot, &context) }
        for key in (former?.rows.keys.sorted() ?? []) where rows[key] == nil { writePreference(key, slot, &context) }
    }

    /// Rule E3: each key is a register; being reset is one of its values.
    mutating func applyPreferenceChanged(_ body: PreferenceChanged, _ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].preferences.write(ByteText(body.key), isSet: true, context.stamp) else { return }
        let key = RowKey(.preferences, app: apps[slot].app, key: body.key)
        context.touch(key)
        put(key, PreferenceRow(value: body.value).encoded, &context)
    }

    mutating func applyPreferenceReset(_ body: PreferenceReset, _ slot: Int, _ context: inout FoldContext) {
        let key = ByteText(body.key)
        guard apps[slot].preferences.write(key, isSet: false, context.stamp) else { return }
        context.touch(RowKey(.preferences, app: apps[slot].app, key: body.key))
        writePreference(key, slot, &context)
        for forgotten in apps[slot].preferences.forgetResets() {
            context.touch(RowKey(.preferences, app: apps[slot].app, key: forgotten.text))
        }
    }

    /// Writes the row of a key that nobody has set: its default, or nothing (rule D1). A set value stays.
    private mutating func writePreference(_ key: ByteText, _ slot: Int, _ context: inout FoldContext) {
        guard !apps[slot].preferences.isSet(key) else { return }
        let rowKey = RowKey(.preferences, app: apps[slot].app, key: key.text)
        if let row = apps[slot].preferences.defaults?.rows[key] {
            put(rowKey, row, &context)
        } else {
            remove(rowKey, &context)
        }
    }

    /// Rule E5. A registration that loses for certain changes nothing, so it needs no room.
    func registrationRefusal(_ body: PreferencesRegistered, _ slot: Int) -> Refusal? {
        let table = apps[slot].preferences
        if let build = table.defaults?.build, build > body.build { return nil }
        return table.hasRoom(forDefaults: body.defaults.entries.map { ByteText($0.key) })
            ? nil : Self.tooManyPreferences
    }

    /// Rule E5.
    func changeRefusal(_ body: PreferenceChanged, _ slot: Int) -> Refusal? {
        apps[slot].preferences.hasRoom(forSetting: ByteText(body.key)) ? nil : Self.tooManyPreferences
    }

    private static let tooManyPreferences = Refusal(
        .tooManyPreferences,
        "an app has at most \(EventLimits.preferencesPerApp) preferences, set or registered, for one user")
}
