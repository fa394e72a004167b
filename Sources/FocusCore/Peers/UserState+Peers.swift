/// Rule F5: who may see what of this user. The only place where that is decided.
extension UserState {
    /// The user's visibility (rule F3) in each app where the viewer is in its audience and there is any. An app that is
    /// not here is unavailable, and nothing says why: a user without events looks the same.
    public func visibility(to viewer: Viewer) -> [AppID: Bool] {
        var visible: [AppID: Bool] = [:]
        switch viewer.scope {
        case .app(let app): visible[app] = status(in: app, shownTo: viewer)
        case .system: for app in appSlots.keys { visible[app] = status(in: app, shownTo: viewer) }
        }
        return visible
    }

    /// The user's visibility in one app; nil when it is unavailable to the viewer.
    public func status(in app: AppID, shownTo viewer: Viewer) -> Bool? {
        if let own = viewer.scope.app, own != app { return nil }
        guard let slot = appSlots[app], apps[slot].audience[viewer.user]?.value == true else { return nil }
        return shared.focus.status(
            seenFrom: app, apps[slot].focusAccess, apps[slot].report, shared.focus.effective)
    }
}
