extension UserState {
    /// Rule N12: marks the notification read, and keeps the resolved action with it for as long as it is listed and not
    /// posted again.
    mutating func applyActionPerformed(
        _ body: NotificationActionPerformed, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        try applyRead(NotificationIDs(ids: [body.notificationID]), slot, &context)
        let id = ByteText(body.notificationID)
        guard let row = actedOn(body, slot, context.stamp), let action = resolve(body.gesture, row, slot),
            apps[slot].performed[id] < context.stamp
        else { return }
        apps[slot].performed[id] = context.stamp
        let performed = ActionRow(
            action: action.id, doubleTap: body.gesture == .doubleTap, performedAt: context.stamp.time)
        let key = RowKey(.actions, app: apps[slot].app, id: id)
        context.touch(key)
        put(key, performed.encoded, &context)
    }

    /// Rule N12.
    func actionRefusal(_ body: NotificationActionPerformed, _ event: Event, _ slot: Int) -> Refusal? {
        guard let row = actedOn(body, slot, nextStamp(event)) else { return nil }
        guard let action = resolve(body.gesture, row, slot) else {
            return Refusal(.actionUnknown, "the notification's category has no such action")
        }
        guard body.text == nil || action.textInput else {
            return Refusal(.textNotAccepted, "the action takes no text")
        }
        return nil
    }

    /// The listed notification that the action is about; nil when there is none, or when it was posted after the
    /// action, so that what the action was about is gone. The action then counts as a read and is not resolved.
    private func actedOn(_ body: NotificationActionPerformed, _ slot: Int, _ stamp: Stamp) -> NotificationRow? {
        guard let post = apps[slot].list[ByteText(body.notificationID)].post, post.stamp < stamp else { return nil }
        return try? value(of: RowKey(.notifications, app: apps[slot].app, key: body.notificationID))
    }

    private func resolve(
        _ gesture: NotificationActionPerformed.Gesture, _ row: NotificationRow, _ slot: Int
    ) -> NotificationAction? {
        let category = apps[slot].categories[row.category]
        return switch gesture {
        case .action(let id): category?.action(id)
        case .doubleTap: category?.doubleTapAction
        }
    }

    /// Removes the row of an action together with the post that it was about.
    mutating func dropAction(_ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        // Most apps' notifications have none.
        guard !apps[slot].performed.isEmpty, apps[slot].performed.removeValue(forKey: id) != nil else { return }
        remove(RowKey(.actions, app: apps[slot].app, id: id), &context)
    }
}
