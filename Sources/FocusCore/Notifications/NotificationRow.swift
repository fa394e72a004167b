/// A notification in the list, as devices see it (rule N7; collection `notifications`). Its id is the row's key.
public struct NotificationRow: RowMessage {
    public var category: String?
    public var thread: String?
    /// What to show: the app's name when the notification has no title of its own (rule N6).
    public var title: String
    public var subtitle: String?
    public var body: String
    /// The level as posted.
    public var level: InterruptionLevel
    public var relevance: Double
    public var marketing: Bool
    public var interactionID: String?
    public var eventAt: Timestamp?
    public var sound: String?
    /// The time of the post's stamp; orders the list.
    public var postedAt: Timestamp
    /// The avatar of a communication's sender (rule N5).
    public var avatar: String?
    /// The body to show when previews are hidden: the category's placeholder (rule N13).
    public var hiddenBody: String?
    /// An alert of a government (rule N17).
    public var government: Bool
    /// Whether it counts in the badge (rule B1).
    public var unread: Bool

    public init(_ posted: NotificationPosted, title: String, postedAt: Timestamp, unread: Bool) {
        category = posted.category
        thread = posted.thread
        self.title = title
        subtitle = posted.subtitle
        body = posted.body
        level = posted.level
        relevance = posted.relevance
        marketing = posted.marketing
        interactionID = posted.interactionID
        eventAt = posted.eventAt
        sound = posted.sound
        government = false
        self.postedAt = postedAt
        self.unread = unread
    }

    public var encoded: [UInt8] {
        var writer = ProtoWriter(capacity: 40 + title.utf8.count + body.utf8.count + (subtitle?.utf8.count ?? 0))
        writer.optionalString(1, category)
        writer.optionalString(2, thread)
        writer.string(3, title)
        writer.optionalString(4, subtitle)
        writer.string(5, body)
        writer.int(6, Int64(level.rawValue))
        writer.double(7, relevance)
        writer.bool(8, marketing)
        writer.optionalString(9, interactionID)
        writer.presentInt(10, eventAt?.microseconds)
        writer.optionalString(11, sound)
        writer.int(12, postedAt.microseconds)
        writer.optionalString(13, avatar)
        writer.optionalString(14, hiddenBody)
        writer.bool(15, unread)
        writer.bool(16, government)
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ProtoError) {
        self.init(
            NotificationPosted(notificationID: "", body: ""), title: "", postedAt: Timestamp(microseconds: 0),
            unread: false)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: category = try value.string()
            case 2: thread = try value.string()
            case 3: title = try value.string()
            case 4: subtitle = try value.string()
            case 5: body = try value.string()
            case 6: level = try value.member(of: InterruptionLevel.self)
            case 7: relevance = try value.double()
            case 8: marketing = try value.bool()
            case 9: interactionID = try value.string()
            case 10: eventAt = try value.timestamp()
            case 11: sound = try value.string()
            case 12: postedAt = try value.timestamp()
            case 13: avatar = try value.string()
            case 14: hiddenBody = try value.string()
            case 15: unread = try value.bool()
            case 16: government = try value.bool()
            default: break
            }
        }
    }

    /// The value of the same row once read. `unread` is last, or before `government`, so reading takes two bytes out of a
    /// value's end instead of decoding and encoding all of it.
    static func read(_ bytes: [UInt8]) -> [UInt8] {
        let (unread, government): ([UInt8], [UInt8]) = ([15 << 3, 1], [0x80, 1, 1])
        if bytes.suffix(2) == unread[...] { return Array(bytes.dropLast(2)) }
        guard bytes.suffix(5) == (unread + government)[...] else { return bytes }
        return bytes.dropLast(5) + government
    }
}
