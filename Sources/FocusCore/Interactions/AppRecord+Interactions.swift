extension UserState {
    /// Rule I2: each id is a register. A donation that is older than another of its id, or than a deletion of it,
    /// changes nothing.
    mutating func applyDonated(_ body: InteractionDonated, _ slot: Int, _ context: inout FoldContext) {
        let id = ByteText(body.interactionID)
        let old = apps[slot].interactions[id]
        guard apps[slot].interactions.deleted < context.stamp, old.removed < context.stamp,
            old.donation.map(\.stamp) < context.stamp
        else { return }
        let donation = Donation(body, context.stamp)
        var new = InteractionRecord(donation: donation)
        if let conversation = donation.conversationID.map(ByteText.init),
            let deleted = apps[slot].interactions.deletedConversations[conversation], deleted > context.stamp
        {
            // The donation is born deleted; it still replaces older ones.
            new.remove(at: context.stamp)
        }
        var affected: Set<ByteText> = []
        replace(id, old, new, slot, &affected, &context)
        // Rule E5: a donation is evicted as if deleted when it was donated, so that no older one of its id comes back.
        while let leaving = apps[slot].interactions.nextToLeave() {
            removeDonation(leaving, at: nil, slot, &affected, &context)
        }
        forgetDeletions(slot, &context)
        writeSuggestions(affected, slot, &context)
    }

    /// Rule I4. What is deleted stays deleted for donations that are older but arrive later.
    mutating func applyDeleted(_ body: InteractionDeleted, _ slot: Int, _ context: inout FoldContext) {
        guard apps[slot].interactions.deleted < context.stamp else { return }
        var affected: Set<ByteText> = []
        switch body {
        case .ids(let ids):
            for id in ids { removeDonation(ByteText(id), at: context.stamp, slot, &affected, &context) }
        case .conversation(let id): deleteConversation(ByteText(id), slot, &affected, &context)
        case .all: deleteAll(slot, &affected, &context)
        }
        forgetDeletions(slot, &context)
        writeSuggestions(affected, slot, &context)
    }

    private mutating func deleteConversation(
        _ conversation: ByteText, _ slot: Int, _ affected: inout Set<ByteText>, _ context: inout FoldContext
    ) {
        guard apps[slot].interactions.deletedConversations[conversation] < context.stamp else { return }
        apps[slot].interactions.setDeleted(conversation, at: context.stamp)
        context.touch(interactionKey(.conversation(conversation), slot))
        for id in (apps[slot].interactions.conversations[conversation] ?? []).sorted() {
            guard let donation = apps[slot].interactions[id].donation, donation.stamp < context.stamp else { continue }
            // The removal is not as of the deletion: the id may have been used again, in another conversation.
            removeDonation(id, at: nil, slot, &affected, &context)
        }
    }

    private mutating func deleteAll(_ slot: Int, _ affected: inout Set<ByteText>, _ context: inout FoldContext) {
        for conversation in apps[slot].interactions.setAllDeleted(at: context.stamp) {
            context.touch(interactionKey(.conversation(conversation), slot))
        }
        context.touch(interactionKey(.app, slot))
        for id in apps[slot].interactions.records.keys.sorted() {
            let old = apps[slot].interactions[id]
            var new = old
            if let donation = old.donation, donation.stamp < context.stamp { new.donation = nil }
            // The deletion of everything covers this one.
            if old.removed < context.stamp { new.removed = nil }
            if new != old { replace(id, old, new, slot, &affected, &context) }
        }
    }

    /// Removes a donation that is older than `stamp` and remembers the removal; a `stamp` of nil is the donation's own.
    private mutating func removeDonation(
        _ id: ByteText, at stamp: Stamp?, _ slot: Int, _ affected: inout Set<ByteText>, _ context: inout FoldContext
    ) {
        let old = apps[slot].interactions[id]
        guard let stamp = stamp ?? old.donation?.stamp, old.removed < stamp else { return }
        if let donation = old.donation, donation.stamp > stamp { return }
        var new = old
        new.remove(at: stamp)
        replace(id, old, new, slot, &affected, &context)
    }

    private mutating func replace(
        _ id: ByteText, _ old: InteractionRecord, _ new: InteractionRecord, _ slot: Int,
        _ affected: inout Set<ByteText>, _ context: inout FoldContext
    ) {
        apps[slot].interactions.update(id, from: old, to: new)
        context.touch(interactionKey(.interaction(id), slot))
        if let donation = old.donation { tally(donation, isAdded: false, slot, &affected) }
        if let donation = new.donation { tally(donation, isAdded: true, slot, &affected) }
    }

    private mutating func forgetDeletions(_ slot: Int, _ context: inout FoldContext) {
        while let id = apps[slot].interactions.forgetOldest() {
            context.touch(interactionKey(.interaction(id), slot))
        }
        while let id = apps[slot].interactions.forgetOldestConversation() {
            context.touch(interactionKey(.conversation(id), slot))
        }
    }

    private func interactionKey(_ key: InteractionKey, _ slot: Int) -> RowKey {
        RowKey(.interactions, app: apps[slot].app, key: key.text)
    }
}
