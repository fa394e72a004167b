/// An activation that the server must end when its time comes (rule T1).
public struct DueExpiration: Hashable, Sendable {
    public var at: Timestamp
    /// What to append then.
    public var event: FocusExpired
}

extension UserState {
    /// The end of the Focus that is on, if it ends by itself.
    public var dueExpiration: DueExpiration? {
        guard let active = focus.active, let endsAt = active.endsAt else { return nil }
        return DueExpiration(at: endsAt, event: FocusExpired(focusID: active.focusID, activation: active.stamp))
    }

    mutating func applyFocusConfigured(_ body: FocusConfigured, _ context: inout FoldContext) throws(FoldError) {
        let id = ByteText(body.focusID)
        try changeFocus(&context) { focus, stamp in
            _ = focus.entries[id, default: FocusEntry()].configuration.write(FocusRow(body), stamp)
        }
        writeFocus(id, &context)
    }

    mutating func applyFocusRemoved(_ body: FocusRemoved, _ context: inout FoldContext) throws(FoldError) {
        let id = ByteText(body.focusID)
        try changeFocus(&context) { focus, stamp in
            focus.entries[id, default: FocusEntry()].removed.raise(to: stamp)
        }
        writeFocus(id, &context)
    }

    mutating func applyFocusChanged(_ body: FocusChanged, _ context: inout FoldContext) throws(FoldError) {
        let id = ByteText(body.focusID)
        let recordedAt = context.recordedAt
        try changeFocus(&context) { focus, stamp in
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
        if !body.isActive { context.touch(RowKey(.focuses, key: body.focusID)) }
    }

    /// Rule F2: ends the activation of that stamp and no other.
    mutating func applyFocusExpired(_ body: FocusExpired, _ context: inout FoldContext) throws(FoldError) {
        try changeFocus(&context) { focus, _ in
            if focus.activation?.stamp == body.activation { focus.activation?.hasEnded = true }
        }
    }

    /// Makes a change and derives again what depends on it: which Focus is on, what apps see of it (F3), and, if what
    /// it lets through came out different, held alerts (N10: losing events release nothing).
    private mutating func changeFocus(
        _ context: inout FoldContext, _ change: (inout FocusTable, Stamp) -> Void
    ) throws(FoldError) {
        let before = focus.effective
        change(&focus, context.stamp)
        if context.stamp.device != .server { focus.greatest.raise(to: context.stamp) }
        context.touch(RowKey(.activeFocus))
        if let active = focus.active {
            put(RowKey(.activeFocus), ActiveFocusRow(focusID: active.focusID, endsAt: active.endsAt).encoded, &context)
        } else {
            remove(RowKey(.activeFocus), &context)
        }
        let after = focus.effective
        for slot in apps.indices { writeVisibility(slot, after, &context) }
        guard before != after else { return }
        for slot in apps.indices { try decideHeldAgain(slot, &context) }
    }

    private mutating func writeFocus(_ id: ByteText, _ context: inout FoldContext) {
        let key = RowKey(.focuses, key: id.text)
        context.touch(key)
        if let row = focus.entries[id]?.configured {
            put(key, row.encoded, &context)
        } else {
            remove(key, &context)
        }
    }
}
