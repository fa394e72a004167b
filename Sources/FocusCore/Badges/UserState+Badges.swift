extension UserState {
    /// Rules B1 and B2: unread notifications in the list; hidden while the app is not authorized to notify
    /// (provisional is not: such notifications go to the list quietly). Badges off (N15) will hide it here too. A row
    /// for each registered app.
    mutating func writeBadge(_ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].registration != nil else { return }
        let isShown = apps[slot].status(.notifications) == .authorized
        let row = BadgeRow(count: isShown ? apps[slot].list.unreadCount : nil)
        put(RowKey(.badges, app: apps[slot].app), row.encoded, &context)
    }
}
