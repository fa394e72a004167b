extension AppRecord {
    /// Reads what the fold remembers from a row of the app.
    mutating func load(_ key: RowKey, _ row: Row, _ shared: inout SharedState) throws(ProtoError) {
        // A row that another fold had made and this one never did (`projection.rebuilt`): there is nothing to remember.
        if row.isDeleted, row.memo.isEmpty, key.collection.traits.isNeverRemoved { return }
        switch key.collection {
        case .apps:
            try read(memo: row.memo, value: row.isDeleted ? nil : AppRow(decoding: row.value).registration)
        case .authorizations:
            guard !row.isDeleted, let kind = AuthorizationKind(name: key.key) else { throw .unexpected }
            let value = try AuthorizationRow(decoding: row.value)
            guard value.kind == kind else { throw .unexpected }
            self[kind] = try Permission(memo: row.memo, status: value.status)
        case .focusVisibility: try read(reportMemo: row.memo)
        case .audience:
            guard let member = UserID(text: key.key) else { throw .unexpected }
            // A removal's tombstone may go; its stamp stays.
            audience[member] = Register(!row.isDeleted, try Stamp(memo: row.memo))
        case .notifications:
            let record = try NotificationRecord(memo: row.memo)
            guard record.isListed != row.isDeleted else { throw .unexpected }
            list.update(ByteText(key.key), from: NotificationRecord(), to: record)
        case .alerts:
            guard !row.isDeleted else { return }
            loadAlert(try AlertRow(decoding: row.value), of: ByteText(key.key), &shared)
        case .categories:
            guard !row.isDeleted else { throw .unexpected }
            _ = categories.write(try CategoriesRow(decoding: row.value).categories, try Stamp(memo: row.memo))
        case .actions:
            guard !row.isDeleted else { return }
            performed[ByteText(key.key)] = try Stamp(memo: row.memo)
        case .waitingActions:
            if row.isDeleted && row.memo.isEmpty { return }
            guard let id = EventID(text: key.key) else { throw .unexpected }
            if row.isDeleted {
                waitingActions.load(id, number: try WaitingActions.number(memo: row.memo), bytes: nil)
            } else {
                let number = try WaitingActionRow(decoding: row.value).number
                waitingActions.load(id, number: number, bytes: row.value.count)
            }
        case .interactions: try loadInteraction(key, row, &shared)
        case .workouts:
            guard !row.isDeleted else { throw .unexpected }
            workouts[ByteText(key.key)] = Register(try WorkoutRow(decoding: row.value), try Stamp(memo: row.memo))
        case .preferenceDefaults: preferences.defaults = try PreferenceDefaults(memo: row.memo)
        case .preferences: try preferences.load(ByteText(key.key), row)
        case .badges: break
        default: throw .unexpected
        }
    }

    private mutating func loadInteraction(_ key: RowKey, _ row: Row, _ shared: inout SharedState) throws(ProtoError) {
        guard let interaction = InteractionKey(key.key) else { throw .unexpected }
        try interactions.read(interaction, memo: row.memo)
        guard case .interaction(let id) = interaction, let donation = interactions[id].donation else { return }
        var affected: Set<ByteText> = []
        add(donation, &affected, &shared)
    }

    /// - Parameter chunks: the memos of the chunks of its points, by their number.
    mutating func loadRoute(_ key: RowKey, _ row: Row, chunks: [Int: [UInt8]]) throws(ProtoError) {
        let value = try RouteRow(decoding: row.value)
        guard ByteText.equal(value.routeID, key.key) else { throw .unexpected }
        do {
            routes[ByteText(key.key)] = try RouteRecord(value, chunks: chunks)
        } catch {
            throw .malformed
        }
    }

    mutating func loadClassAlert(_ key: RowKey, _ row: Row, _ shared: inout SharedState) throws(ProtoError) {
        let alert = try AlertRow(decoding: row.value)
        guard let parts = ClassAlertKey(key.key), parts.deviceClass == alert.deviceClass else { throw .unexpected }
        list.withClassAlerts.insert(parts.id)
        loadAlert(alert, of: parts.id, &shared)
    }

    private mutating func loadAlert(_ row: AlertRow, of id: ByteText, _ shared: inout SharedState) {
        let alert = row.decision.alert
        if let at = row.othersAt {
            shared.pendingRings[alertKey(id)] = min(at, shared.pendingRings[alertKey(id)] ?? at)
        }
        if alert.isHeld { list.held.insert(id) }
        if alert == .heldForSummary, list.waiting.insert(id).inserted { shared.waitingCount += 1 }
    }
}
