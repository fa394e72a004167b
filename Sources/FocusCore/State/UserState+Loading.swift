extension UserState {
    /// Restores a state from its rows: every `row` of a state at `version`, in any order.
    ///
    /// Throws when the rows are not those of a state: the user is then quarantined rather than folded wrongly.
    public init(
        user: UserID, version: Version, rows: [RowKey: Row], rules: FoldRules = .current
    ) throws(FoldError) {
        try self.init(user: user, version: version, loading: rows.map { ($0.key, $0.value) }, rules: rules)
    }

    /// Restores a state from a list of its rows, which needs no table of their keys. Throws `corruptRow` when a key of
    /// a public row that has more than a memo comes twice.
    public init(
        user: UserID, version: Version, loading rows: [(key: RowKey, row: Row)], rules: FoldRules = .current
    ) throws(FoldError) {
        self.init(user: user, rules: rules)
        self.version = version
        let chunks = try Self.routeChunks(in: rows)
        store.reserveCapacity(rows.count)
        var hasStream = false
        for index in Self.inOrder(rows) {
            let (key, row) = rows[index]
            guard row.version <= version, row.version >= .zero else { throw .corruptRow(key) }
            do throws(ProtoError) {
                try load(key, row, chunks)
            } catch {
                throw .corruptRow(key)
            }
            if key.collection == .stream { hasStream = true }
            let isMemoOnly = row.isDeleted && row.version == .zero
            guard key.collection.isPublic && !isMemoOnly else { continue }
            guard store.load(key, row) else { throw .corruptRow(key) }
        }
        deriveSettings()
        if version > .zero, !hasStream { throw .corruptRow(RowKey(.stream)) }
        try checkLoaded(chunks)
    }

    /// Indices of `rows`, sorted by version and key: the order of change, and the same in every process. Numbers are
    /// sorted, and keys are compared only where versions are equal: comparing whole rows took longer than all the rest
    /// of loading.
    private static func inOrder(_ rows: [(key: RowKey, row: Row)]) -> [Int] {
        var order = rows.indices.map { (version: rows[$0].row.version, index: $0) }
        order.sort { $0.version < $1.version }
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, order[end].version == order[start].version { end += 1 }
            if end - start > 1 { order[start..<end].sort { rows[$0.index].key < rows[$1.index].key } }
            start = end
        }
        return order.map(\.index)
    }

    /// The memos of chunks of points, by the key of their route's row and by their number.
    private static func routeChunks(in rows: [(key: RowKey, row: Row)]) throws(FoldError) -> [RowKey: [Int: [UInt8]]] {
        var chunks: [RowKey: [Int: [UInt8]]] = [:]
        for (key, row) in rows where key.collection == .routePoints {
            guard let chunk = RouteChunkKey(key.key) else { throw .corruptRow(key) }
            chunks[RowKey(.routes, app: key.app, key: chunk.routeID), default: [:]][chunk.chunk] = row.memo
        }
        return chunks
    }

    /// Reads what the fold remembers from a row.
    private mutating func load(
        _ key: RowKey, _ row: Row, _ chunks: [RowKey: [Int: [UInt8]]]
    ) throws(ProtoError) {
        switch key.collection {
        case .stream: try read(streamMemo: row.memo)
        case .devices: try loadHistory(key, row)
        case .incarnations: try loadIncarnation(key, row)
        case .placePages: placePages[key] = row.memo
        case .refusals: try loadRefusal(key, row)
        case .focuses:
            let value = row.isDeleted ? nil : try FocusRow(decoding: row.value)
            if row.memo.isEmpty && value == nil { return }
            focus.entries[ByteText(key.key)] = try FocusEntry(memo: row.memo, value: value)
        case .activeFocus: try focus.read(memo: row.memo)
        case .routes: try loadRoute(key, row, chunks[key] ?? [:])
        // Suggestions are counted again from the donations, and then compared with their rows.
        case .suggestions: break
        case .apps, .authorizations, .focusVisibility, .audience, .notifications, .alerts, .badges, .workouts,
            .categories, .actions, .interactions, .preferences, .preferenceDefaults:
            guard let app = key.app else { throw .unexpected }
            try load(key, row, slot(of: app))
        case .deliverySchedule:
            try summary.read(memo: row.memo, value: row.isDeleted ? nil : DeliveryScheduleRow(decoding: row.value))
        case .notificationSettings:
            let (table, mutes) = try SettingsMemo.read(row.memo)
            guard let app = key.app else {
                defaultSettings = table
                return
            }
            let slot = slot(of: app)
            apps[slot].ownSettings = table
            apps[slot].mutes = mutes
        case .classAlerts: try loadClassAlert(key, row)
        case .routePoints, .routeTotals: break
        }
    }

    private mutating func load(_ key: RowKey, _ row: Row, _ slot: Int) throws(ProtoError) {
        // A row that another fold had made and this one never did (`projection.rebuilt`): there is nothing to remember.
        if row.isDeleted, row.memo.isEmpty, key.collection.traits.isNeverRemoved { return }
        switch key.collection {
        case .apps:
            try apps[slot].read(memo: row.memo, value: row.isDeleted ? nil : AppRow(decoding: row.value).registration)
        case .authorizations:
            guard !row.isDeleted, let kind = AuthorizationKind(name: key.key) else { throw .unexpected }
            let value = try AuthorizationRow(decoding: row.value)
            guard value.kind == kind else { throw .unexpected }
            apps[slot][kind] = Register(value.status, try Stamp(memo: row.memo))
        case .focusVisibility: try apps[slot].read(reportMemo: row.memo)
        case .audience:
            guard let member = UserID(text: key.key) else { throw .unexpected }
            // A removal's tombstone may go; its stamp stays.
            apps[slot].audience[member] = Register(!row.isDeleted, try Stamp(memo: row.memo))
        case .notifications:
            let record = try NotificationRecord(memo: row.memo)
            guard record.isListed != row.isDeleted else { throw .unexpected }
            apps[slot].list.update(ByteText(key.key), from: NotificationRecord(), to: record)
        case .alerts:
            guard !row.isDeleted else { return }
            loadHeld(try AlertRow(decoding: row.value).decision.alert, ByteText(key.key), slot)
        case .categories:
            guard !row.isDeleted else { throw .unexpected }
            _ = apps[slot].categories.write(
                try CategoriesRow(decoding: row.value).categories, try Stamp(memo: row.memo))
        case .actions:
            guard !row.isDeleted else { return }
            apps[slot].performed[ByteText(key.key)] = try Stamp(memo: row.memo)
        case .interactions: try loadInteraction(key, row, slot)
        case .workouts:
            guard !row.isDeleted else { throw .unexpected }
            apps[slot].workouts[ByteText(key.key)] = Register(
                try WorkoutRow(decoding: row.value), try Stamp(memo: row.memo))
        case .preferenceDefaults: apps[slot].preferences.defaults = try PreferenceDefaults(memo: row.memo)
        case .preferences: try apps[slot].preferences.load(ByteText(key.key), row)
        case .badges: break
        default: throw .unexpected
        }
    }

    private mutating func loadInteraction(_ key: RowKey, _ row: Row, _ slot: Int) throws(ProtoError) {
        guard let interaction = InteractionKey(key.key) else { throw .unexpected }
        try apps[slot].interactions.read(interaction, memo: row.memo)
        guard case .interaction(let id) = interaction, let donation = apps[slot].interactions[id].donation else {
            return
        }
        var affected: Set<ByteText> = []
        tally(donation, isAdded: true, slot, &affected)
    }

    private mutating func loadRoute(_ key: RowKey, _ row: Row, _ chunks: [Int: [UInt8]]) throws(ProtoError) {
        guard !row.isDeleted else { return }
        let value = try RouteRow(decoding: row.value)
        guard let app = key.app, ByteText.equal(value.routeID, key.key) else { throw .unexpected }
        do {
            apps[slot(of: app)].routes[ByteText(key.key)] = try RouteRecord(value, chunks: chunks)
        } catch {
            throw .malformed
        }
    }

    private mutating func loadClassAlert(_ key: RowKey, _ row: Row) throws(ProtoError) {
        guard !row.isDeleted else { return }
        let alert = try AlertRow(decoding: row.value)
        guard let app = key.app, let parts = ClassAlertKey(key.key), parts.deviceClass == alert.deviceClass else {
            throw .unexpected
        }
        let slot = slot(of: app)
        apps[slot].list.withClassAlerts.insert(parts.id)
        loadHeld(alert.decision.alert, parts.id, slot)
    }

    private mutating func loadHeld(_ alert: Alert, _ id: ByteText, _ slot: Int) {
        if alert.isHeld { apps[slot].list.held.insert(id) }
        if alert == .heldForSummary, apps[slot].list.waiting.insert(id).inserted { waitingCount += 1 }
    }

    /// Derives each app's effective settings, once the rows of every app and of the default are loaded.
    private mutating func deriveSettings() {
        for slot in apps.indices where apps[slot].ownSettings.isWritten || defaultSettings.isWritten {
            apps[slot].settings = EffectiveSettings(app: apps[slot].ownSettings, default: defaultSettings)
            _ = store.hiddenPreviews.set(apps[slot].app, apps[slot].settings)
        }
    }

    private mutating func loadRefusal(_ key: RowKey, _ row: Row) throws(ProtoError) {
        guard !row.isDeleted else { return }
        guard let text = key.key.split(separator: "/").first, let device = DeviceID(text: String(text)) else {
            throw .unexpected
        }
        devices[device, default: DeviceRecord(device)].refusals[key.app, default: []].append(key)
    }
}
