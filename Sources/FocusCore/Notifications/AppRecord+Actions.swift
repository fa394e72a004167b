extension AppRecord {
    /// Rule N12: marks the notification read, and keeps the resolved action with it for as long as it is listed and not
    /// posted again.
    mutating func applyActionPerformed(
        _ body: NotificationActionPerformed, _ shared: inout SharedState
    ) throws(FoldError) {
        try applyRead(NotificationIDs(ids: [body.notificationID]), &shared)
        let stamp = shared.event.stamp
        let id = ByteText(body.notificationID)
        guard let row = actedOn(body, at: stamp, shared), let action = resolve(body.gesture, row),
            performed[id] < stamp
        else { return }
        performed[id] = stamp
        let key = RowKey(.actions, app: app, id: id)
        shared.touch(key)
        let isDoubleTap = body.gesture == .doubleTap
        shared.put(key, ActionRow(action: action.id, doubleTap: isDoubleTap, performedAt: stamp.time).encoded)
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
