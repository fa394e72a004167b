extension NotificationRow {
    /// The title of every notification whose preview is hidden.
    public static let hiddenTitle = "Notification"

    /// What to show, and all there is to know, when previews are hidden (rule N13). It has no subtitle, sender or
    /// avatar, and no thread either, because apps name threads for the people in them.
    public var hidden: NotificationRow {
        var posted = NotificationPosted(notificationID: "", body: hiddenBody ?? "")
        posted.category = category
        posted.level = level
        posted.relevance = relevance
        posted.marketing = marketing
        posted.eventAt = eventAt
        posted.sound = sound
        var row = NotificationRow(posted, title: Self.hiddenTitle, postedAt: postedAt, unread: unread)
        row.government = government
        return row
    }

    /// The hidden form of a row's value, derived from it alone. Throws when `bytes` are no notification's.
    public static func hidden(_ bytes: [UInt8]) throws(ProtoError) -> [UInt8] {
        try NotificationRow(decoding: bytes).hidden.encoded
    }
}
