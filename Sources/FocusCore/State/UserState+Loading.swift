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
        shared.store.reserveCapacity(rows.count)
        var hasStream = false
        for index in Self.inOrder(rows) {
            var (key, row) = rows[index]
            // What a device knows of rows has no places, and nothing depends on them there. Other rows have none either,
            // and their memos may end with the same bytes.
            let place = row.version > .zero && key.isSeenByApp ? RowPlace.remove(from: &row.memo) : nil
            guard row.version <= version, row.version >= .zero else { throw .corruptRow(key) }
            do throws(ProtoError) {
                try load(key, row, chunks)
            } catch {
                throw .corruptRow(key)
            }
            if key.collection == .stream { hasStream = true }
            let isMemoOnly = row.isDeleted && row.version == .zero
            guard key.collection.isPublic && !isMemoOnly else { continue }
            guard row.version == .zero || !key.isSeenByApp || place != nil,
                shared.store.load(key, row, place: place ?? .zero)
            else { throw .corruptRow(key) }
        }
        shared.store.endLoading()
        deriveSettings()
        if version > .zero, !hasStream { throw .corruptRow(RowKey(.stream)) }
        try checkLoaded(chunks)
    }

    /// How many rows of one version are sorted one by one: of more than so many `KeyOrder` finds the order sooner. What
    /// the fold remembers without a row is all at version 0; one event mostly changes a few rows.
    private static let longRun = 64

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
            if end - start > longRun {
                let run = Array(order[start..<end])
                let sorted = KeyOrder(count: run.count) { rows[run[$0].index].key }.indices
                for (place, index) in sorted.enumerated() { order[start + place] = run[index] }
            } else if end - start > 1 {
                order[start..<end].sort { rows[$0.index].key < rows[$1.index].key }
            }
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
        case .appStreams:
            guard let app = key.app else { throw .unexpected }
            try shared.store.streams[shared.store.streamSlot(app)].read(memo: row.memo)
        case .devices: try loadHistory(key, row)
        case .incarnations: try loadIncarnation(key, row)
        case .placePages: placePages[key] = row.memo
        case .refusals: try loadRefusal(key, row)
        case .focuses:
            let value = row.isDeleted ? nil : try FocusRow(decoding: row.value)
            if row.memo.isEmpty && value == nil { return }
            shared.focus.entries[ByteText(key.key)] = try FocusEntry(memo: row.memo, value: value)
        case .activeFocus: try shared.focus.read(memo: row.memo)
        case .deviceActivity: shared.activity = try ActivityTable(memo: row.memo)
        // Suggestions are counted again from the donations, and then compared with their rows.
        case .suggestions: break
        case .apps, .authorizations, .focusVisibility, .audience, .notifications, .alerts, .badges, .workouts,
            .categories, .actions, .waitingActions, .interactions, .preferences, .preferenceDefaults:
            try apps[slot(of: key)].load(key, row, &shared)
        case .deliverySchedule:
            let value = row.isDeleted ? nil : try DeliveryScheduleRow(decoding: row.value)
            try shared.summary.read(memo: row.memo, value: value)
        case .notificationSettings:
            let memo = try SettingsMemo(reading: row.memo)
            guard key.app != nil else {
                (shared.defaultSettings, shared.silence) = (memo.table, memo.silence)
                return
            }
            let slot = try slot(of: key)
            (apps[slot].ownSettings, apps[slot].mutes) = (memo.table, memo.mutes)
        // Nothing is remembered of one that is gone.
        case .routes where row.isDeleted, .classAlerts where row.isDeleted: break
        case .routes: try apps[slot(of: key)].loadRoute(key, row, chunks: chunks[key] ?? [:])
        case .classAlerts: try apps[slot(of: key)].loadClassAlert(key, row, &shared)
        case .routePoints, .routeTotals: break
        }
    }

    /// The slot of the row's app, which is created when it is new.
    private mutating func slot(of key: RowKey) throws(ProtoError) -> Int {
        guard let app = key.app else { throw .unexpected }
        return slot(of: app)
    }

    private mutating func loadRefusal(_ key: RowKey, _ row: Row) throws(ProtoError) {
        guard !row.isDeleted else { return }
        guard let device = key.refusedDevice else { throw .unexpected }
        devices[device, default: DeviceRecord(device)].refusals[key.app, default: []].append(key)
    }
}
