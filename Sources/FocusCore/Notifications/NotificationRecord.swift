/// What rule N7 remembers of a notification id: the greatest post P, read R and removal X, as far as they can still
/// decide anything. With C, the app's greatest clear:
///
/// - Listed (P > X and P > C): P, and R if it is greater than P. An X below P never matters again.
/// - Not listed: X and R, as far as they are greater than C, and R only above X. P is forgotten: a later post must
///   exceed X and C, and so exceeds this one too.
struct NotificationRecord: Hashable, Sendable {
    /// P, and what its alert is decided by; nil when the notification is not listed.
    var post: NotificationPost?
    var read: Stamp?
    var removed: Stamp?

    var isListed: Bool { post != nil }
    var isUnread: Bool {
        guard let post else { return false }
        return read < post.stamp
    }

    /// The greater of its marks, the read and the removal.
    var mark: Stamp? {
        guard let removed else { return read }
        return read < removed ? removed : read
    }

    /// Removes it from the list, as of `stamp`.
    mutating func unlist(at stamp: Stamp) {
        post = nil
        removed.raise(to: stamp)
        if let removed, read < removed { read = nil }
    }

    /// Forgets marks that a clear covers.
    mutating func forgetMarks(through clear: Stamp) {
        if removed < clear { removed = nil }
        if read < clear { read = nil }
    }
}

/// The post that a listed notification shows.
struct NotificationPost: Hashable, Sendable {
    var stamp: Stamp
    /// The level it is decided as (rule N3; domain.md §4 for communications).
    var level: InterruptionLevel
    var isMarketing: Bool
    var isCommunication: Bool
    /// See `NotificationPosted.government`.
    var isGovernmentAlert = false
    /// Whether it shows the app's name (rule N6).
    var isUntitled: Bool
    /// The handle of a communication's sender, copied when it was posted (rules N5, N9.4); nil for others.
    var sender: String?

    var rank: LeavingRank { LeavingRank(level: level, stamp: stamp) }
}

/// The order in which notifications leave a list that is too long: lowest level, then oldest (rule E5).
struct LeavingRank: Hashable, Sendable, Comparable {
    var level: InterruptionLevel
    var stamp: Stamp
    static func < (a: Self, b: Self) -> Bool { (a.level, a.stamp) < (b.level, b.stamp) }
}

extension NotificationRecord {
    /// The memo of its row in `notifications`.
    var memo: [UInt8] {
        var writer = ProtoWriter()
        writer.stamp(1, post?.stamp)
        writer.stamp(2, read)
        writer.stamp(3, removed)
        if let post {
            writer.int(4, Int64(post.level.rawValue))
            writer.bool(5, post.isMarketing)
            writer.bool(6, post.isCommunication)
            writer.bool(7, post.isUntitled)
            writer.optionalString(8, post.sender)
            writer.bool(9, post.isGovernmentAlert)
        }
        return writer.bytes
    }

    init(memo: [UInt8]) throws(ProtoError) {
        var reader = ProtoReader(memo)
        var posted: Stamp?
        var level: InterruptionLevel?
        var (isMarketing, isCommunication, isUntitled, isGovernmentAlert) = (false, false, false, false)
        var sender: String?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: posted = try value.stamp()
            case 2: read = try value.stamp()
            case 3: removed = try value.stamp()
            case 4: level = try value.member(of: InterruptionLevel.self)
            case 5: isMarketing = try value.bool()
            case 6: isCommunication = try value.bool()
            case 7: isUntitled = try value.bool()
            case 8: sender = try value.string()
            case 9: isGovernmentAlert = try value.bool()
            default: break
            }
        }
        guard let posted else { return }
        guard let level else { throw .malformed }
        post = NotificationPost(
            stamp: posted, level: level, isMarketing: isMarketing, isCommunication: isCommunication,
            isGovernmentAlert: isGovernmentAlert, isUntitled: isUntitled, sender: sender)
    }
}
