extension UserState {
    /// Rule F3: the status as the app sees it; nil when it is unavailable.
    func isFocused(seenFrom slot: Int, _ effective: EffectiveFocus?) -> Bool? {
        guard apps[slot].isFocusAvailable else { return nil }
        // Rule F4: the operating system's word, while it is the latest.
        if let report = apps[slot].report, let isFocused = report.value, focus.lastHeard < report.stamp {
            return isFocused
        }
        guard let configuration = effective?.configuration else { return false }
        return configuration.sharesStatus && !configuration.allowedApps.contains(apps[slot].app)
    }

    /// Writes the row of a registered app.
    mutating func writeVisibility(_ slot: Int, _ context: inout FoldContext) {
        writeVisibility(slot, focus.effective, &context)
    }

    /// Writes the row of a registered app. `effective` is `focus.effective`, made once by callers that write many rows.
    mutating func writeVisibility(_ slot: Int, _ effective: EffectiveFocus?, _ context: inout FoldContext) {
        guard apps[slot].registration != nil else { return }
        let row = FocusVisibilityRow(isFocused: isFocused(seenFrom: slot, effective))
        put(RowKey(.focusVisibility, app: apps[slot].app), row.encoded, &context)
    }

    /// Rule F4: the report of each app is a register.
    mutating func applyStatusReport(_ body: FocusStatusReported, _ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].report.write(body.isFocused, context.stamp) else { return }
        context.touch(RowKey(.focusVisibility, app: apps[slot].app))
        writeVisibility(slot, &context)
    }

    /// Rule F5: each member is a register. A user named in both lists is removed.
    mutating func applyAudience(_ body: AudienceChanged, _ slot: Int, _ context: inout FoldContext) {
        for member in body.add.subtracting(body.remove).sorted() { setMember(member, true, slot, &context) }
        for member in body.remove.sorted() { setMember(member, false, slot, &context) }
    }

    private mutating func setMember(_ member: UserID, _ isMember: Bool, _ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].audience[member].write(isMember, context.stamp) else { return }
        let key = RowKey(.audience, app: apps[slot].app, key: member.description)
        context.touch(key)
        if isMember {
            put(key, AudienceRow(user: member).encoded, &context)
        } else {
            remove(key, &context)
        }
    }
}
