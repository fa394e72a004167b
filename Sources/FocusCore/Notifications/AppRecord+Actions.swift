extension AppRecord {
    /// Rule N12: marks the notification read, and keeps the resolved action with it for as long as it is listed and not
    /// posted again.
    mutating func applyActionPerformed(
        _ body: NotificationActionPerformed, _ shared: inout SharedState
    ) throws(FoldError) {
        try applyRead(NotificationIDs(ids: [body.notificationID]), &shared)
        let stamp = shared.event.stamp
        let id = ByteText(body.notificationID)
        let resolved = actedOn(body, at: stamp, shared).flatMap { resolve(body.gesture, $0) }
        letWait(body, resolved, &shared)
        guard let action = resolved, performed[id] < stamp else { return }
        performed[id] = stamp
        let key = RowKey(.actions, app: app, id: id)
        shared.touch(key)
        let isDoubleTap = body.gesture == .doubleTap
        shared.put(key, ActionRow(action: action.id, doubleTap: isDoubleTap, performedAt: stamp.time).encoded)
    }

    /// Rule N20: the app is to hear of the action, whatever becomes of the notification meanwhile.
    /// - Parameter resolved: the action that it is, if the notification tells.
    private mutating func letWait(
        _ body: NotificationActionPerformed, _ resolved: NotificationAction?, _ shared: inout SharedState
    ) {
        // A log of before rule P10 may hold an event twice.
        guard waitingActions.isAwaited, waitingActions.entries[shared.event.id] == nil else { return }
        var named: String?
        if case .action(let id) = body.gesture { named = id }
        let row = WaitingActionRow(
            number: waitingActions.nextNumber, notificationID: body.notificationID, action: resolved?.id ?? named,
            doubleTap: body.gesture == .doubleTap, text: body.text, performedAt: shared.event.stamp.time,
            device: shared.event.device
        ).encoded
        shared.put(Self.waitingKey(shared.event.id, app), row)
        // Who leaves is looked for among all.
        shared.count(waitingActions.entries.count / FoldWork.entriesPerUnit)
        for id in waitingActions.add(shared.event.id, bytes: row.count) { shared.remove(Self.waitingKey(id, app)) }
        shared.touch(RowKey(.apps, app: app))
    }

    /// Rule N20: the app has heard of it, and is to hear of others.
    mutating func applyHandled(_ body: ActionHandled, _ shared: inout SharedState) {
        shared.touch(RowKey(.apps, app: app))
        waitingActions.begin()
        guard let id = body.id, !waitingActions.isHandled(id) else { return }
        shared.count(waitingActions.entries.count / FoldWork.entriesPerUnit)
        let forgotten = waitingActions.handle(id)
        shared.touch(Self.waitingKey(id, app))
        shared.remove(Self.waitingKey(id, app))
        if let forgotten { shared.touch(Self.waitingKey(forgotten, app)) }
    }

    /// Rule N20: what is handled is handled once, so that of several devices of an app one knows that it is to act.
    func handledRefusal(_ body: ActionHandled) -> Refusal? {
        guard let id = body.id, waitingActions.isHandled(id) else { return nil }
        return Refusal(.actionHandled, "the app has handled that action")
    }

    private static func waitingKey(_ id: EventID, _ app: AppID) -> RowKey {
        RowKey(.waitingActions, app: app, key: id.description)
    }

    /// Rule N12. `stamp` is the one that the event gets if it is accepted.
    func actionRefusal(
        _ body: NotificationActionPerformed, at stamp: Stamp, _ shared: borrowing SharedState
    ) -> Refusal? {
        guard let row = actedOn(body, at: stamp, shared) else { return nil }
        guard let action = resolve(body.gesture, row) else {
            return Refusal(.actionUnknown, "the notification's category has no such action")
        }
        guard body.text == nil || action.textInput else {
            return Refusal(.textNotAccepted, "the action takes no text")
        }
        return nil
    }

    /// The listed notification that the action is about; nil when there is none, or when it was posted after the
    /// action, so that what the action was about is gone. The action then counts as a read and is not resolved.
    private func actedOn(
        _ body: NotificationActionPerformed, at stamp: Stamp, _ shared: borrowing SharedState
    ) -> NotificationRow? {
        guard let post = list[ByteText(body.notificationID)].post, post.stamp < stamp else { return nil }
        return try? shared.value(of: RowKey(.notifications, app: app, key: body.notificationID))
    }

    private func resolve(
        _ gesture: NotificationActionPerformed.Gesture, _ row: NotificationRow
    ) -> NotificationAction? {
        let category = categories[row.category]
        return switch gesture {
        case .action(let id): category?.action(id)
        case .doubleTap: category?.doubleTapAction
        }
    }

    /// Removes the row of an action together with the post that it was about.
    mutating func dropAction(_ id: ByteText, _ shared: inout SharedState) {
        // Most apps' notifications have none.
        guard !performed.isEmpty, performed.removeValue(forKey: id) != nil else { return }
        shared.remove(RowKey(.actions, app: app, id: id))
    }
}
