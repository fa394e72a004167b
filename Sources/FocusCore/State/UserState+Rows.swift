extension UserState {
    /// A row with its memo, as the read model keeps it; nil when there is nothing to keep.
    ///
    /// A row that has only a memo is deleted, at version 0: no cursor is below that, so no device hears of it. Rows of
    /// internal collections are at version 0 too; their version means nothing.
    public func row(_ key: RowKey) -> Row? {
        shared.store[key].map { row($0) } ?? memoAlone(key)
    }

    private func row(_ entry: RowStore.Entry) -> Row {
        var memo = memo(of: entry.key)
        if entry.stream != nil { RowPlace.append(entry.place, to: &memo) }
        return Row(version: entry.version, isDeleted: entry.isDeleted, value: entry.value, memo: memo)
    }

    /// Appends the memo that `row` gives the entry of a number.
    func appendMemo(ofNumber number: Int, to memo: inout [UInt8]) {
        memo += self.memo(of: shared.store.rows.entries[number].key)
        guard shared.store.rows.entries[number].stream != nil else { return }
        RowPlace.append(shared.store.rows.entries[number].place, to: &memo)
    }

    /// Hands what `row` says of these keys to `body`, of each once however often it is among them, with the version of
    /// the event since which devices may see such a row: nil when there is none, or when they could before this state
    /// was loaded. A row of the key may have been kept before, for its memo alone.
    public func forEachRow(of keys: [RowKey], _ body: (RowKey, _ row: Row?, _ appearedAt: Version?) -> Void) {
        let entries = shared.store.rows.entries
        var isDone = [Bool](repeating: false, count: entries.count)
        var others: Set<RowKey> = []
        for key in keys {
            guard let number = shared.store.rows.number(of: key) else {
                if others.insert(key).inserted { body(key, memoAlone(key), nil) }
                continue
            }
            guard !isDone[number] else { continue }
            isDone[number] = true
            body(key, row(entries[number]), entries[number].appearedAt > .zero ? entries[number].appearedAt : nil)
        }
    }

    /// Every key that `row` answers, sorted.
    public var rowKeys: [RowKey] { allRows.map(\.key) }

    /// Every row, sorted by key: what a full write of the state holds.
    public var allRows: [(key: RowKey, row: Row)] {
        var rows: [(key: RowKey, row: Row)] = []
        rows.reserveCapacity(shared.store.count + devices.count + 8)
        forEachRow { rows.append(($0, $1)) }
        return rows
    }

    /// Hands each of `allRows` to `body`, in their order.
    public func forEachRow(_ body: (RowKey, Row) -> Void) {
        var rows: [(key: RowKey, row: Row)] = []
        rows.reserveCapacity(shared.store.count + devices.count + 8)
        for entry in shared.store.rows.inUse { rows.append((entry.key, row(entry))) }
        forEachMemoAlone { rows.append(($0, $1)) }
        for index in KeyOrder(count: rows.count, { rows[$0].key }).indices { body(rows[index].key, rows[index].row) }
    }

    /// Hands each row that has no entry in `store` to `body`: those that have a memo and nothing else.
    func forEachMemoAlone(_ body: (RowKey, Row) -> Void) {
        forEachRemembered { key in
            // Rows of internal collections have no entries.
            if key.collection.isPublic, shared.store.rows.number(of: key) != nil { return }
            if let row = memoAlone(key) { body(key, row) }
        }
    }

    /// The row of a key that has no entry in `store`; nil when nothing is remembered of it.
    private func memoAlone(_ key: RowKey) -> Row? {
        let memo = memo(of: key)
        guard !memo.isEmpty else { return nil }
        return Row(version: .zero, isDeleted: key.collection.isPublic, value: [], memo: memo)
    }

    /// Every key that may have a memo, each once; many of them have a row in `store` too.
    private func forEachRemembered(_ body: (RowKey) -> Void) {
        for collection in [
            RowCollection.stream, .activeFocus, .notificationSettings, .deliverySchedule, .deviceActivity,
        ] {
            body(RowKey(collection))
        }
        for record in devices.values {
            for history in record.histories { body(history.key) }
            for incarnation in record.besideCurrent { body(record.key(of: incarnation)) }
        }
        for key in placePages.keys { body(key) }
        for stream in shared.store.streams { body(stream.key) }
        for id in shared.focus.entries.keys { body(RowKey(.focuses, app: nil, id: id)) }
        for record in apps {
            for collection in [RowCollection.apps, .focusVisibility, .notificationSettings, .preferenceDefaults] {
                body(RowKey(collection, app: record.app))
            }
            for member in record.audience.keys {
                body(RowKey(.audience, app: record.app, key: member.description))
            }
            // Listed notifications have a row in `store`.
            for (id, notification) in record.list.records where !notification.isListed {
                body(RowKey(.notifications, app: record.app, id: id))
            }
            for (id, action) in record.waitingActions.entries where action.isHandled {
                body(RowKey(.waitingActions, app: record.app, key: id.description))
            }
            for key in record.interactions.keys { body(RowKey(.interactions, app: record.app, key: key.text)) }
            for key in record.preferences.writes.keys { body(RowKey(.preferences, app: record.app, id: key)) }
            for (id, route) in record.routes {
                for chunk in route.chunkIDs {
                    let key = RouteChunkKey(routeID: id.text, chunk: chunk)
                    body(RowKey(.routePoints, app: record.app, key: key.description))
                }
            }
        }
    }

    /// What the fold remembers beside a row's value. It is encoded when it is asked for, because events change it far
    /// more often than it is written.
    private func memo(of key: RowKey) -> [UInt8] {
        switch key.collection {
        case .alerts, .badges, .suggestions, .refusals, .routes, .classAlerts, .routeTotals: return []
        case .stream: return streamMemo
        case .appStreams: return key.app.flatMap { shared.store.stream(of: $0) }?.memo ?? []
        case .devices, .incarnations: return deviceMemo(of: key)
        case .placePages: return placePages[key] ?? []
        case .focuses: return shared.focus.entries[key.id]?.memo ?? []
        case .activeFocus: return shared.focus.memo
        case .deliverySchedule: return shared.summary.memo
        case .deviceActivity: return shared.activity.memo
        case .notificationSettings where key.app == nil:
            return SettingsMemo(shared.defaultSettings, silence: shared.silence).bytes
        case .apps, .authorizations, .focusVisibility, .audience, .notifications, .workouts, .categories, .actions,
            .waitingActions, .interactions, .routePoints, .notificationSettings, .preferences, .preferenceDefaults:
            return key.app.flatMap { appSlots[$0] }.map { memo(of: key, slot: $0) } ?? []
        }
    }

    /// The memo of a row of the app at that slot. It reads the record there, because a function of the record would be
    /// called on a copy of it (see `AppRecord`) for every row.
    private func memo(of key: RowKey, slot: Int) -> [UInt8] {
        switch key.collection {
        case .apps: apps[slot].memo
        case .authorizations: AuthorizationKind(name: key.key).map { apps[slot][$0].memo } ?? []
        case .focusVisibility: apps[slot].reportMemo
        case .audience: UserID(text: key.key).flatMap { apps[slot].audience[$0]?.stamp.memo } ?? []
        case .notifications: apps[slot].list.records[key.id]?.memo ?? []
        case .workouts: apps[slot].workouts[key.id]?.stamp.memo ?? []
        case .categories: apps[slot].categories.register?.stamp.memo ?? []
        case .actions: apps[slot].performed[key.id]?.memo ?? []
        case .waitingActions: EventID(text: key.key).map { apps[slot].waitingActions.memo(of: $0) } ?? []
        case .interactions: InteractionKey(key.key).map { apps[slot].interactions.memo($0) } ?? []
        case .routePoints:
            RouteChunkKey(key.key).flatMap { apps[slot].routes[ByteText($0.routeID)]?.chunk($0.chunk) } ?? []
        case .notificationSettings: SettingsMemo(apps[slot].ownSettings, apps[slot].mutes).bytes
        case .preferences: apps[slot].preferences.memo(of: key.id)
        case .preferenceDefaults: apps[slot].preferences.defaults?.memo ?? []
        default: []
        }
    }
}

extension AuthorizationKind {
    init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
