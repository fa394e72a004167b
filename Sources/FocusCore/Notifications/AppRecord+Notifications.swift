extension UserState {
    /// Rule N7: a post that wins replaces content in place and is unread again, unless it was read, removed or
    /// cleared before it arrived. Rule N8: it is in the list at once; only its alert is decided.
    mutating func applyPosted(_ body: NotificationPosted, _ slot: Int, _ context: inout FoldContext) {
        let id = ByteText(body.notificationID)
        let old = apps[slot].list[id]
        guard old.post.map(\.stamp) < context.stamp else { return }
        // A post that is older than a removal or a clear is born removed.
        guard old.removed < context.stamp, apps[slot].clear < context.stamp else { return }
        var post = NotificationPost(body, context)
        let donation = body.interactionID.flatMap { apps[slot].interactions[ByteText($0)].donation }
        post.sender = donation?.sender?.handle
        var new = NotificationRecord(post: post, read: old.read, removed: nil)
        if new.isUnread { new.read = nil }
        apps[slot].list.update(id, from: old, to: new)

        let app = apps[slot].app
        let title = post.isUntitled ? apps[slot].registration?.value.name : body.title
        var row = NotificationRow(body, title: title ?? "", postedAt: post.stamp.time, unread: new.isUnread)
        if post.isCommunication { row.show(donation) }
        row.hiddenBody = apps[slot].categories.placeholder(body.category)
        let key = RowKey(.notifications, app: app, id: id)
        context.touch(key)
        put(key, row.encoded, &context)
        dropAction(id, slot, &context)
        // Evict before the alert is decided: a notification that cannot stay in the list does not ring.
        while let leaving = apps[slot].list.nextToLeave() { evict(leaving, slot, &context) }
        if new.isUnread, apps[slot].list[id].isListed {
            decideAlert(id, post, slot, &context)
        } else {
            dropAlert(id, slot, &context)
        }
        writeBadge(slot, &context)
    }

    /// Rule N7: the entry stays in the list, read. Unknown ids are remembered.
    mutating func applyRead(
        _ body: NotificationIDs, _ slot: Int, _ context: inout FoldContext
    ) throws(FoldError) {
        for text in body.ids {
            let id = ByteText(text)
            let old = apps[slot].list[id]
            guard old.read < context.stamp, old.removed < context.stamp, apps[slot].clear < context.stamp else {
                continue
            }
            if let post = old.post, context.stamp < post.stamp { continue }
            var new = old
            new.read = context.stamp
            apps[slot].list.update(id, from: old, to: new)
            let key = RowKey(.notifications, app: apps[slot].app, id: id)
            context.touch(key)
            guard old.isUnread, let entry = store[key] else { continue }
            put(key, NotificationRow.read(entry.value), &context)
            // Rule N10: what was read meanwhile is not released.
            if apps[slot].list.held.contains(id) { try forgetHeldAlert(id, slot, &context) }
        }
        forgetOldest(slot, &context)
        writeBadge(slot, &context)
    }

    /// Rule N7. Unknown ids are remembered.
    mutating func applyRemoved(_ body: NotificationIDs, _ slot: Int, _ context: inout FoldContext) {
        for text in body.ids {
            let id = ByteText(text)
            let old = apps[slot].list[id]
            guard old.removed < context.stamp, apps[slot].clear < context.stamp else { continue }
            if let post = old.post, context.stamp < post.stamp { continue }
            unlist(id, old, at: context.stamp, slot, &context)
        }
        forgetOldest(slot, &context)
        writeBadge(slot, &context)
    }

    /// Rule B3: what was posted before the clear leaves the list, and older marks decide nothing any more.
    mutating func applyBadgeCleared(_ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].clear < context.stamp else { return }
        apps[slot].clear = context.stamp
        context.touch(RowKey(.apps, app: apps[slot].app))
        // Sorted: a dictionary's order differs from process to process.
        for id in apps[slot].list.records.keys.sorted() {
            let old = apps[slot].list[id]
            var new = old
            if let post = old.post, post.stamp < context.stamp { new.unlist(at: context.stamp) }
            new.forgetMarks(through: context.stamp)
            if new.removed == context.stamp { new.removed = nil }
            guard new != old else { continue }
            apps[slot].list.update(id, from: old, to: new)
            context.touch(RowKey(.notifications, app: apps[slot].app, id: id))
            if old.isListed && !new.isListed { removeRows(of: id, slot, &context) }
        }
        forgetOldest(slot, &context)
        writeBadge(slot, &context)
    }

    /// Writes the app's new name as the title of notifications without one (rule N6).
    mutating func retitle(_ slot: Int, _ context: inout FoldContext) throws(FoldError) {
        guard let name = apps[slot].registration?.value.name else { return }
        let untitled = apps[slot].list.records.filter { $0.value.post?.isUntitled == true }.keys.sorted()
        for id in untitled {
            let key = RowKey(.notifications, app: apps[slot].app, id: id)
            var row: NotificationRow = try value(of: key)
            row.title = name
            put(key, row.encoded, &context)
        }
    }

    /// Evicts a notification as if it was removed when it was posted, so that no older post of it comes back (rule E5).
    private mutating func evict(_ id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        let old = apps[slot].list[id]
        guard let post = old.post else { return }
        unlist(id, old, at: post.stamp, slot, &context)
        forgetOldest(slot, &context)
    }

    private mutating func unlist(
        _ id: ByteText, _ old: NotificationRecord, at stamp: Stamp, _ slot: Int, _ context: inout FoldContext
    ) {
        var new = old
        new.unlist(at: stamp)
        apps[slot].list.update(id, from: old, to: new)
        context.touch(RowKey(.notifications, app: apps[slot].app, id: id))
        if old.isListed { removeRows(of: id, slot, &context) }
    }

    private mutating func removeRows(of id: ByteText, _ slot: Int, _ context: inout FoldContext) {
        remove(RowKey(.notifications, app: apps[slot].app, id: id), &context)
        dropAlert(id, slot, &context)
        dropAction(id, slot, &context)
    }

    private mutating func forgetOldest(_ slot: Int, _ context: inout FoldContext) {
        while let forgotten = apps[slot].list.forgetOldest() {
            context.touch(RowKey(.notifications, app: apps[slot].app, id: forgotten))
        }
    }
}

extension NotificationRow {
    /// Shows who wrote or called, as the donation says now (rule N5). Validation makes sure that there is one.
    fileprivate mutating func show(_ donation: Donation?) {
        guard let donation, let sender = donation.sender else { return }
        title = sender.shownName
        subtitle = donation.groupName.flatMap { $0.isEmpty ? nil : $0 }
        avatar = sender.avatar
    }
}

extension NotificationPost {
    private static let hour: Int64 = 3_600 * 1_000_000

    init(_ body: NotificationPosted, _ context: FoldContext) {
        stamp = context.stamp
        isMarketing = body.marketing
        isCommunication = body.interactionID != nil
        isUntitled = body.interactionID == nil && (body.title ?? "").isEmpty
        // Rule N3: what is not about now does not interrupt now.
        let isFarAhead = body.eventAt.map { $0 > context.occurredAt.adding(microseconds: Self.hour) } ?? false
        level = isCommunication || (body.level == .timeSensitive && isFarAhead) ? .active : body.level
    }
}
