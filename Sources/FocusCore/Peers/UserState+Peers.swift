/// Rule F5: who may see what of this user. The only place where that is decided.
extension UserState {
    /// The user's visibility (rule F3) in each app where the viewer is in its audience and there is any. An app that is
    /// not here is unavailable, and nothing says why: a user without events looks the same.
    public func visibility(to viewer: Viewer) -> [AppID: Bool] {
        var visible: [AppID: Bool] = [:]
        switch viewer.scope {
        case .app(let app): visible[app] = isFocused(in: app, shownTo: viewer.user)
        case .system: for app in appSlots.keys { visible[app] = isFocused(in: app, shownTo: viewer.user) }
        }
        return visible
    }

    private func isFocused(in app: AppID, shownTo viewer: UserID) -> Bool? {
        guard let slot = appSlots[app], apps[slot].audience[viewer]?.value == true else { return nil }
        return shared.focus.status(
            seenFrom: app, apps[slot].focusAccess, apps[slot].report, shared.focus.effective)
    }
}
