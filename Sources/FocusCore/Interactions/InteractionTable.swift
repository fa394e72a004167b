/// An app's donated interactions, and the deletions that are remembered (rules I2, I4, E5).
struct InteractionTable: Sendable {
    private(set) var records: [ByteText: InteractionRecord] = [:]
    private(set) var donatedCount = 0
    /// The ids of donated interactions by conversation, so that deleting a conversation does not look at all others.
    private(set) var conversations: [ByteText: Set<ByteText>] = [:]
    /// When each conversation was last deleted.
    private(set) var deletedConversations: [ByteText: Stamp] = [:]
    /// When everything of the app was last deleted.
    private(set) var deleted: Stamp?
    private var leaving = EvictionOrder<Stamp>()
    private var forgetting = EvictionOrder<Stamp>()
    private var forgettingConversations = EvictionOrder<Stamp>()

    var rememberedCount: Int { records.count - donatedCount }

    subscript(id: ByteText) -> InteractionRecord { records[id] ?? InteractionRecord() }

    /// Replaces what is remembered of an interaction. One that is neither donated nor marked as deleted is forgotten.
    mutating func update(_ id: ByteText, from old: InteractionRecord, to new: InteractionRecord) {
        donatedCount += (new.donation == nil ? 0 : 1) - (old.donation == nil ? 0 : 1)
        if let conversation = old.donation?.conversationID.map({ ByteText($0) }) {
            conversations[conversation]?.remove(id)
            if conversations[conversation]?.isEmpty == true { conversations[conversation] = nil }
        }
        if let donation = new.donation {
            if let conversation = donation.conversationID {
                conversations[ByteText(conversation), default: []].insert(id)
            }
            leaving.insert(donation.stamp, id)
        } else if let mark = new.removed {
            if old.donation != nil || old.removed != mark { forgetting.insert(mark, id) }
        } else {
            records[id] = nil
            return
        }
        records[id] = new
    }

    mutating func setDeleted(_ conversation: ByteText, at stamp: Stamp) {
        deletedConversations[conversation] = stamp
        forgettingConversations.insert(stamp, conversation)
    }

    /// Records that everything was deleted. Deletions of single conversations before that moment say nothing more, and
    /// are forgotten.
    /// - Returns: these conversations.
    mutating func setAllDeleted(at stamp: Stamp) -> [ByteText] {
        deleted = stamp
        let covered = deletedConversations.filter { $0.value < stamp }.keys.sorted()
        for conversation in covered { deletedConversations[conversation] = nil }
        return covered
    }

    /// Which donation must be evicted: the oldest by stamp (rule E5). Nil while there are no more than the limit.
    mutating func nextToLeave() -> ByteText? {
        guard donatedCount > EventLimits.donationsPerApp else { return nil }
        return oldestDonated()?.id
    }

    /// Forgets the oldest deletion of a single interaction when more of them are remembered than the limit.
    /// - Returns: the interaction's id; nil when nothing was forgotten.
    mutating func forgetOldest() -> ByteText? {
        guard rememberedCount > EventLimits.rememberedDeletionsPerApp, let oldest = oldestRemembered() else {
            return nil
        }
        records[oldest.id] = nil
        return oldest.id
    }

    /// Forgets the oldest deletion of a conversation when more of them are remembered than the limit.
    /// - Returns: the conversation's id; nil when nothing was forgotten.
    mutating func forgetOldestConversation() -> ByteText? {
        guard deletedConversations.count > EventLimits.rememberedDeletionsPerApp,
            let oldest = oldestDeletedConversation()
        else { return nil }
        deletedConversations[oldest.id] = nil
        return oldest.id
    }

    // These are functions of their own, so that the copies which the closures need are gone before anything is changed.
    private mutating func oldestDonated() -> EvictionOrder<Stamp>.Candidate? {
        let records = records
        return leaving.removeLowest(
            scan: {
                records.compactMap { id, record in
                    record.donation.map { EvictionOrder<Stamp>.Candidate(rank: $0.stamp, id: id) }
                }
            },
            isCurrent: { records[$0.id]?.donation?.stamp == $0.rank })
    }

    private mutating func oldestRemembered() -> EvictionOrder<Stamp>.Candidate? {
        let records = records
        return forgetting.removeLowest(
            scan: {
                records.compactMap { id, record in
                    guard record.donation == nil, let mark = record.removed else { return nil }
                    return EvictionOrder<Stamp>.Candidate(rank: mark, id: id)
                }
            },
            isCurrent: { candidate in
                guard let record = records[candidate.id], record.donation == nil else { return false }
                return record.removed == candidate.rank
            })
    }

    private mutating func oldestDeletedConversation() -> EvictionOrder<Stamp>.Candidate? {
        let deleted = deletedConversations
        return forgettingConversations.removeLowest(
            scan: { deleted.map { EvictionOrder<Stamp>.Candidate(rank: $0.value, id: $0.key) } },
            isCurrent: { deleted[$0.id] == $0.rank })
    }
}

extension InteractionTable {
    /// The memo of the row with this key in `interactions`; empty when there is none.
    func memo(_ key: InteractionKey) -> [UInt8] {
        switch key {
        case .app: deleted?.memo ?? []
        case .interaction(let id): records[id]?.memo ?? []
        case .conversation(let id): deletedConversations[id]?.memo ?? []
        }
    }

    /// The keys of all rows that have a memo, in no order.
    var keys: [InteractionKey] {
        (deleted == nil ? [] : [.app]) + records.keys.map { .interaction($0) }
            + deletedConversations.keys.map { .conversation($0) }
    }

    /// Loads a row of the read model.
    mutating func read(_ key: InteractionKey, memo: [UInt8]) throws(ProtoError) {
        switch key {
        case .app: deleted = try Stamp(memo: memo)
        case .interaction(let id):
            update(id, from: InteractionRecord(), to: try InteractionRecord(memo: memo))
        case .conversation(let id): setDeleted(id, at: try Stamp(memo: memo))
        }
    }
}
