extension AppRecord {
    /// Writes the badge of a registered app: the unread notifications in the list (rule B1). It is hidden while the app
    /// is not authorized to notify, and where its badges are off (rules B2, N15); the count goes on underneath.
    /// Provisional does not count as authorized: such notifications go to the list quietly.
    mutating func writeBadge(_ shared: inout SharedState) {
        guard isRegistered else { return }
        let isShown = status(.notifications) == .authorized
        let count = list.unreadCount
        var row = BadgeRow(count: isShown && settings.phone.badges ? count : nil)
        if isShown {
            for deviceClass in settings.differing where settings[deviceClass].badges != settings.phone.badges {
                row.others.append(BadgeRow.Other(deviceClass, count: settings[deviceClass].badges ? count : nil))
            }
        }
        shared.put(RowKey(.badges, app: app), row.encoded)
    }
}
