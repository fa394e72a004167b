/// An app's notifications: those listed, and those whose read or removal is remembered (rule N7).
struct NotificationList: Sendable {
    private(set) var records: [ByteText: NotificationRecord] = [:]
    private(set) var listedCount = 0
    /// The badge (rule B1). Counted when a record goes in or out, so it is exact in any order (rule B4).
    private(set) var unreadCount = 0
    /// Listed ones whose alert is held, for any class of device (rule N10).
    var held: Set<ByteText> = []
    /// Those in `held` that wait for the summary.
    var waiting: Set<ByteText> = []
    /// Listed ones with rows in `class_alerts` (rule N15).
    var withClassAlerts: Set<ByteText> = []
    private var leaving = EvictionOrder<LeavingRank>()
    private var forgetting = EvictionOrder<Stamp>()

    var rememberedCount: Int { records.count - listedCount }

    subscript(id: ByteText) -> NotificationRecord { records[id] ?? NotificationRecord() }

    /// Replaces what is remembered of an id; an id without a post or a mark is forgotten.
    mutating func update(_ id: ByteText, from old: NotificationRecord, to new: NotificationRecord) {
        listedCount += (new.isListed ? 1 : 0) - (old.isListed ? 1 : 0)
        unreadCount += (new.isUnread ? 1 : 0) - (old.isUnread ? 1 : 0)
        if let post = new.post {
            if old.post?.rank != post.rank { leaving.insert(post.rank, id) }
        } else if let mark = new.mark {
            if old.isListed || old.mark != mark { forgetting.insert(mark, id) }
        } else {
            records[id] = nil
            return
        }
        records[id] = new
    }

    /// The notification to evict from a list that is too long (rule E5); nil while it is not.
    mutating func nextToLeave() -> ByteText? {
        guard listedCount > EventLimits.listedNotificationsPerApp else { return nil }
        return lowestListed()?.id
    }

    /// Forgets the oldest remembered id beyond the bound of rule N7, and returns it; nil when none is beyond it.
    mutating func forgetOldest() -> ByteText? {
        guard rememberedCount > EventLimits.rememberedNotificationsPerApp, let oldest = oldestRemembered() else {
            return nil
        }
        records[oldest.id] = nil
        return oldest.id
    }

    // These are functions of their own, so that the copy of `records` which the closures need is gone before anything
    // is changed.
    private mutating func lowestListed() -> EvictionOrder<LeavingRank>.Candidate? {
        let records = records
        return leaving.removeLowest(
            scan: {
                records.compactMap { id, record in
                    record.post.map { EvictionOrder<LeavingRank>.Candidate(rank: $0.rank, id: id) }
                }
            },
            isCurrent: { records[$0.id]?.post?.rank == $0.rank })
    }

    private mutating func oldestRemembered() -> EvictionOrder<Stamp>.Candidate? {
        let records = records
        return forgetting.removeLowest(
            scan: {
                records.compactMap { id, record in
                    guard !record.isListed, let mark = record.mark else { return nil }
                    return EvictionOrder<Stamp>.Candidate(rank: mark, id: id)
                }
            },
            isCurrent: { candidate in
                guard let record = records[candidate.id], !record.isListed else { return false }
                return record.mark == candidate.rank
            })
    }
}
