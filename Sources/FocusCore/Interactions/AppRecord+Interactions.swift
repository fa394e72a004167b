extension AppRecord {
    /// Rule I2: each id is a register. A donation that is older than another of its id, or than a deletion of it,
    /// changes nothing.
    mutating func applyDonated(_ body: InteractionDonated, _ shared: inout SharedState) {
        let stamp = shared.event.stamp
        let id = ByteText(body.interactionID)
        let old = interactions[id]
        guard interactions.deleted < stamp, old.removed < stamp, old.donation.map(\.stamp) < stamp else { return }
        let donation = Donation(body, stamp)
        var new = InteractionRecord(donation: donation)
        if let conversation = donation.conversationID.map({ ByteText($0) }),
            let deleted = interactions.deletedConversations[conversation], deleted > stamp
        {
            // The donation is born deleted; it still replaces older ones.
            new.remove(at: stamp)
        }
        var affected: Set<ByteText> = []
        replace(id, old, new, &affected, &shared)
        // Rule E5: a donation is evicted as if deleted when it was donated, so that no older one of its id comes back.
        while let leaving = interactions.nextToLeave() { removeDonation(leaving, at: nil, &affected, &shared) }
        forgetDeletions(&shared)
        writeSuggestions(affected, &shared)
    }

    /// Rule I4. What is deleted stays deleted for donations that are older but arrive later.
    mutating func applyDeleted(_ body: InteractionDeleted, _ shared: inout SharedState) {
        let stamp = shared.event.stamp
        guard interactions.deleted < stamp else { return }
        var affected: Set<ByteText> = []
        switch body {
        case .ids(let ids): for id in ids { removeDonation(ByteText(id), at: stamp, &affected, &shared) }
        case .conversation(let id): deleteConversation(ByteText(id), &affected, &shared)
        case .all: deleteAll(&affected, &shared)
        }
        forgetDeletions(&shared)
        writeSuggestions(affected, &shared)
    }

    private mutating func deleteConversation(
        _ conversation: ByteText, _ affected: inout Set<ByteText>, _ shared: inout SharedState
    ) {
        let stamp = shared.event.stamp
        guard interactions.deletedConversations[conversation] < stamp else { return }
        interactions.setDeleted(conversation, at: stamp)
        shared.touch(interactionKey(.conversation(conversation)))
        for id in (interactions.conversations[conversation] ?? []).sorted() {
            guard let donation = interactions[id].donation, donation.stamp < stamp else { continue }
            // The removal is not as of the deletion: the id may have been used again, in another conversation.
            removeDonation(id, at: nil, &affected, &shared)
        }
    }

    private mutating func deleteAll(_ affected: inout Set<ByteText>, _ shared: inout SharedState) {
        let stamp = shared.event.stamp
        for conversation in interactions.setAllDeleted(at: stamp) {
            shared.touch(interactionKey(.conversation(conversation)))
        }
        shared.touch(interactionKey(.app))
        shared.count(interactions.records.count)
        for id in interactions.records.keys.sorted() {
            let old = interactions[id]
            var new = old
            if let donation = old.donation, donation.stamp < stamp { new.donation = nil }
            // The deletion of everything covers this one.
            if old.removed < stamp { new.removed = nil }
            if new != old { replace(id, old, new, &affected, &shared) }
        }
    }

    /// Removes a donation that is older than `stamp` and remembers the removal; a `stamp` of nil is the donation's own.
    private mutating func removeDonation(
        _ id: ByteText, at stamp: Stamp?, _ affected: inout Set<ByteText>, _ shared: inout SharedState
    ) {
        let old = interactions[id]
        guard let stamp = stamp ?? old.donation?.stamp, old.removed < stamp else { return }
        if let donation = old.donation, donation.stamp > stamp { return }
        var new = old
        new.remove(at: stamp)
        replace(id, old, new, &affected, &shared)
    }

    private mutating func replace(
        _ id: ByteText, _ old: InteractionRecord, _ new: InteractionRecord, _ affected: inout Set<ByteText>,
        _ shared: inout SharedState
    ) {
        interactions.update(id, from: old, to: new)
        shared.touch(interactionKey(.interaction(id)))
        if let donation = old.donation { subtract(donation, &affected, &shared) }
        if let donation = new.donation { add(donation, &affected, &shared) }
    }

    private mutating func forgetDeletions(_ shared: inout SharedState) {
        while let id = interactions.forgetOldest() { shared.touch(interactionKey(.interaction(id))) }
        while let id = interactions.forgetOldestConversation() { shared.touch(interactionKey(.conversation(id))) }
    }

    private func interactionKey(_ key: InteractionKey) -> RowKey { RowKey(.interactions, app: app, key: key.text) }
}
