/// An activation that the server must end when its time comes (rule T1).
public struct DueExpiration: Hashable, Sendable {
    public var at: Timestamp
    /// What to append then.
    public var event: FocusExpired
}

extension UserState {
    /// The end of the Focus that is on, if it ends by itself.
    public var dueExpiration: DueExpiration? {
        guard let active = shared.focus.active, let endsAt = active.endsAt else { return nil }
        return DueExpiration(at: endsAt, event: FocusExpired(focusID: active.focusID, activation: active.stamp))
    }

    mutating func applyFocusConfigured(_ body: FocusConfigured) throws(FoldError) {
        let id = ByteText(body.focusID)
        try changeFocus { focus, stamp in
            _ = focus.entries[id, default: FocusEntry()].configuration.write(FocusRow(body), stamp)
        }
        writeFocus(id)
    }

    mutating func applyFocusRemoved(_ body: FocusRemoved) throws(FoldError) {
        let id = ByteText(body.focusID)
        try changeFocus { focus, stamp in
            focus.entries[id, default: FocusEntry()].removed.raise(to: stamp)
        }
        writeFocus(id)
    }

    mutating func applyFocusChanged(_ body: FocusChanged) throws(FoldError) {
        let id = ByteText(body.focusID)
        let recordedAt = shared.event.recordedAt
        try changeFocus { focus, stamp in
            guard body.isActive else {
                focus.entries[id, default: FocusEntry()].deactivated.raise(to: stamp)
                return
            }
            guard focus.activation.map(\.stamp) < stamp else { return }
            // Rule F2: an activation that comes after its end is born ended.
            let hasEnded = body.endsAt.map { $0 <= recordedAt } ?? false
            focus.activation = FocusActivation(
                focusID: body.focusID, stamp: stamp, endsAt: body.endsAt, hasEnded: hasEnded)
        }
        if !body.isActive { shared.touch(RowKey(.focuses, key: body.focusID)) }
    }

    /// Rule F2: ends the activation of that stamp and no other.
    mutating func applyFocusExpired(_ body: FocusExpired) throws(FoldError) {
        try changeFocus { focus, _ in
            if focus.activation?.stamp == body.activation { focus.activation?.hasEnded = true }
        }
    }

    /// Makes a change and derives again what depends on it: which Focus is on, what apps see of it (F3), and, if what
    /// it lets through came out different, held alerts (N10: losing events release nothing).
    private mutating func changeFocus(_ change: (inout FocusTable, Stamp) -> Void) throws(FoldError) {
        let stamp = shared.event.stamp
        let before = shared.focus.effective
        change(&shared.focus, stamp)
        if stamp.device != .server { shared.focus.greatest.raise(to: stamp) }
        let key = RowKey(.activeFocus)
        shared.touch(key)
        if let active = shared.focus.active {
            shared.put(key, ActiveFocusRow(focusID: active.focusID, endsAt: active.endsAt).encoded)
        } else {
            shared.remove(key)
        }
        let after = shared.focus.effective
        shared.count(apps.count)
        for slot in apps.indices { apps[slot].writeVisibility(after, &shared) }
        guard before != after else { return }
        try decideHeldAgain()
    }

    private mutating func writeFocus(_ id: ByteText) {
        let key = RowKey(.focuses, key: id.text)
        shared.touch(key)
        if let row = shared.focus.entries[id]?.configured {
            shared.put(key, row.encoded)
        } else {
            shared.remove(key)
        }
    }
}
