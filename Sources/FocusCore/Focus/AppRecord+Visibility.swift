extension AppRecord {
    /// Writes the row of an app that is registered, or has reported.
    mutating func writeVisibility(_ shared: inout SharedState) { writeVisibility(shared.focus.effective, &shared) }

    /// Writes the row of an app that is registered, or has reported. `effective` is `focus.effective`, made once by callers that write many rows.
    mutating func writeVisibility(_ effective: EffectiveFocus?, _ shared: inout SharedState) {
        guard isRegistered || report != nil else { return }
        let isFocused = shared.focus.status(seenFrom: app, focusAccess, report, effective)
        shared.put(RowKey(.focusVisibility, app: app), FocusVisibilityRow(isFocused: isFocused).encoded)
    }

    /// Rule F4: the report of each app is a register.
    mutating func applyStatusReport(_ body: FocusStatusReported, _ shared: inout SharedState) {
        guard report.write(body.isFocused, shared.event.stamp) else { return }
        shared.touch(RowKey(.focusVisibility, app: app))
        writeVisibility(&shared)
    }

    /// Rule F5: each member is a register. A user named in both lists is removed.
    mutating func applyAudience(_ body: AudienceChanged, _ shared: inout SharedState) {
        for member in body.add.subtracting(body.remove).sorted() { setMember(member, true, &shared) }
        for member in body.remove.sorted() { setMember(member, false, &shared) }
    }

    private mutating func setMember(_ member: UserID, _ isMember: Bool, _ shared: inout SharedState) {
        guard audience[member].write(isMember, shared.event.stamp) else { return }
        let key = RowKey(.audience, app: app, key: member.description)
        shared.touch(key)
        if isMember {
            shared.put(key, AudienceRow(user: member).encoded)
        } else {
            shared.remove(key)
        }
    }

    /// Why the audience must not change so (rule E5); nil when it may.
    func audienceRefusal(_ body: AudienceChanged) -> Refusal? {
        guard audience.count + body.add.count + body.remove.count > EventLimits.audiencePerApp else { return nil }
        let new = body.add.union(body.remove).count { audience[$0] == nil }
        guard audience.count + new > EventLimits.audiencePerApp else { return nil }
        return Refusal(
            .tooMany, "an app's audience has at most \(EventLimits.audiencePerApp) members, removed ones included")
    }
}
