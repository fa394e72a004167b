extension AppRecord {
    /// Rule N7: a post that wins replaces content in place and is unread again, unless it was read, removed or
    /// cleared before it arrived. Rule N8: it is in the list at once; only its alert is decided.
    mutating func applyPosted(
        _ body: NotificationPosted, isGovernmentAlert: Bool = false, _ shared: inout SharedState
    ) throws(FoldError) {
        let stamp = shared.event.stamp
        let id = ByteText(body.notificationID)
        let old = list[id]
        guard old.post.map(\.stamp) < stamp else { return }
        // A post that is older than a removal or a clear is born removed.
        guard old.removed < stamp, clear < stamp else { return }
        var post = NotificationPost(body, shared.event)
        post.isGovernmentAlert = isGovernmentAlert
        let donation = body.interactionID.flatMap { interactions[ByteText($0)].donation }
        post.sender = donation?.sender?.handle
        var new = NotificationRecord(post: post, read: old.read, removed: nil)
        if new.isUnread { new.read = nil }
        list.update(id, from: old, to: new)

        let title = post.isUntitled ? registration?.value.name : body.title
        var row = NotificationRow(body, title: title ?? "", postedAt: stamp.time, unread: new.isUnread)
        if post.isCommunication { row.show(donation) }
        row.government = isGovernmentAlert
        row.hiddenBody = categories.placeholder(body.category)
        let key = RowKey(.notifications, app: app, id: id)
        shared.touch(key)
        shared.put(key, row.encoded)
        dropAction(id, &shared)
        // Evict before the alert is decided: a notification that cannot stay in the list does not ring.
        while let leaving = list.nextToLeave() { evict(leaving, &shared) }
        if new.isUnread, list[id].isListed {
            try decideAlert(id, post, replacesUnread: old.isUnread, &shared)
        } else {
            dropAlert(id, &shared)
        }
        writeBadge(&shared)
    }

    /// Rule N7: the entry stays in the list, read. Unknown ids are remembered.
    mutating func applyRead(_ body: NotificationIDs, _ shared: inout SharedState) throws(FoldError) {
        let stamp = shared.event.stamp
        shared.count(body.ids.count)
        for text in body.ids {
            let id = ByteText(text)
            let old = list[id]
            guard old.read < stamp, old.removed < stamp, clear < stamp else { continue }
            if let post = old.post, stamp < post.stamp { continue }
            var new = old
            new.read = stamp
            list.update(id, from: old, to: new)
            let key = RowKey(.notifications, app: app, id: id)
            shared.touch(key)
            guard old.isUnread, let entry = shared.store[key] else { continue }
            shared.put(key, NotificationRow.read(entry.value))
            // Rule N10: what was read meanwhile is not released.
            if list.held.contains(id) { try forgetHeldAlert(id, &shared) }
            if shared.pendingRings[alertKey(id)] != nil { try forgetRing(of: id, &shared) }
        }
        forgetOldest(&shared)
        writeBadge(&shared)
    }

    /// Rule N7. Unknown ids are remembered.
    mutating func applyRemoved(_ body: NotificationIDs, _ shared: inout SharedState) {
        let stamp = shared.event.stamp
        shared.count(body.ids.count)
        for text in body.ids {
            let id = ByteText(text)
            let old = list[id]
            guard old.removed < stamp, clear < stamp else { continue }
            if let post = old.post, stamp < post.stamp { continue }
            unlist(id, old, at: stamp, &shared)
        }
        forgetOldest(&shared)
        writeBadge(&shared)
    }

    /// Rule B3: what was posted before the clear leaves the list, and older marks decide nothing any more.
    mutating func applyBadgeCleared(_ shared: inout SharedState) {
        let stamp = shared.event.stamp
        guard clear < stamp else { return }
        clear = stamp
        shared.touch(RowKey(.apps, app: app))
        shared.count(list.records.count)
        // Sorted: a dictionary's order differs from process to process.
        for id in list.records.keys.sorted() {
            let old = list[id]
            var new = old
            if let post = old.post, post.stamp < stamp { new.unlist(at: stamp) }
            new.forgetMarks(through: stamp)
            if new.removed == stamp { new.removed = nil }
            guard new != old else { continue }
            list.update(id, from: old, to: new)
            shared.touch(RowKey(.notifications, app: app, id: id))
            if old.isListed && !new.isListed { removeRows(of: id, &shared) }
        }
        forgetOldest(&shared)
        writeBadge(&shared)
    }

    /// Writes the app's new name as the title of notifications without one (rule N6).
    mutating func retitle(_ shared: inout SharedState) throws(FoldError) {
        guard let name = registration?.value.name else { return }
        shared.count(list.records.count / FoldWork.entriesPerUnit)
        let untitled = list.records.filter { $0.value.post?.isUntitled == true }.keys.sorted()
        for id in untitled {
            let key = RowKey(.notifications, app: app, id: id)
            var row: NotificationRow = try shared.value(of: key)
            row.title = name
            shared.put(key, row.encoded)
        }
    }

    /// Evicts a notification as if it was removed when it was posted, so that no older post of it comes back (rule E5).
    private mutating func evict(_ id: ByteText, _ shared: inout SharedState) {
        let old = list[id]
        guard let post = old.post else { return }
        unlist(id, old, at: post.stamp, &shared)
        forgetOldest(&shared)
    }

    private mutating func unlist(
        _ id: ByteText, _ old: NotificationRecord, at stamp: Stamp, _ shared: inout SharedState
    ) {
        var new = old
        new.unlist(at: stamp)
        list.update(id, from: old, to: new)
        shared.touch(RowKey(.notifications, app: app, id: id))
        if old.isListed { removeRows(of: id, &shared) }
    }

    private mutating func removeRows(of id: ByteText, _ shared: inout SharedState) {
        shared.remove(RowKey(.notifications, app: app, id: id))
        dropAlert(id, &shared)
        dropAction(id, &shared)
    }

    private mutating func forgetOldest(_ shared: inout SharedState) {
        while let forgotten = list.forgetOldest() { shared.touch(RowKey(.notifications, app: app, id: forgotten)) }
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

    init(_ body: NotificationPosted, _ event: FoldedEvent) {
        stamp = event.stamp
        isMarketing = body.marketing
        isCommunication = body.interactionID != nil
        isUntitled = body.interactionID == nil && (body.title ?? "").isEmpty
        // Rule N3: what is not about now does not interrupt now.
        let isFarAhead = body.eventAt.map { $0 > event.occurredAt.adding(microseconds: Self.hour) } ?? false
        level = isCommunication || (body.level == .timeSensitive && isFarAhead) ? .active : body.level
    }
}
