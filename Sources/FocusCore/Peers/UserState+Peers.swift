/// Rule F5: who may see what of this user. The only place where that is decided.
extension UserState {
    /// The user's visibility (rule F3) in each app where the viewer is in its audience and there is any. An app that is
    /// not here is unavailable, and nothing says why: a user without events looks the same.
    public func visibility(to viewer: Viewer) -> [AppID: Bool] {
        var visible: [AppID: Bool] = [:]
        switch viewer.scope {
        case .app(let app):
            guard let slot = appSlots[app] else { return [:] }
            visible[app] = status(slot, to: viewer.user)
        case .system:
            for slot in apps.indices { visible[apps[slot].app] = status(slot, to: viewer.user) }
        }
        return visible
    }

    private func status(_ slot: Int, to viewer: UserID) -> Bool? {
        guard apps[slot].registration != nil, apps[slot].audience[viewer]?.value == true else { return nil }
        return isFocused(seenFrom: slot, focus.effective)
    }
}
