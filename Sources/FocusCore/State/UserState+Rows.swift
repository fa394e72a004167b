extension UserState {
    /// A row with its memo, as the read model keeps it; nil when there is nothing to keep.
    ///
    /// A row that has only a memo is deleted, at version 0: no cursor is below that, so no device hears of it. Rows of
    /// internal collections are at version 0 too; their version means nothing.
    public func row(_ key: RowKey) -> Row? {
        let memo = memo(of: key)
        if let entry = store.entries[key] {
            return Row(version: entry.version, isDeleted: entry.isDeleted, value: entry.value, memo: memo)
        }
        guard !memo.isEmpty else { return nil }
        return Row(version: .zero, isDeleted: key.collection.isPublic, value: [], memo: memo)
    }

    /// The event since which devices may see a row of this key. Nil: never, or longer than this state knows. A row of
    /// the key may have been kept before, for its memo alone.
    public func appearance(of key: RowKey) -> Version? {
        store.entries[key].flatMap { $0.appearedAt > .zero ? $0.appearedAt : nil }
    }

    /// Every key that `row` answers, sorted: what a full write of the state holds.
    public var rowKeys: [RowKey] {
        var keys = Set(store.entries.keys)
        if version > .zero { keys.insert(RowKey(.stream)) }
        for device in devices.keys { keys.insert(RowKey(.devices, key: device.description)) }
        for id in focus.entries.keys { keys.insert(RowKey(.focuses, key: id.text)) }
        keys.insert(RowKey(.activeFocus))
        keys.insert(RowKey(.notificationSettings))
        keys.insert(RowKey(.deliverySchedule))
        for record in apps {
            keys.insert(RowKey(.apps, app: record.app))
            keys.insert(RowKey(.focusVisibility, app: record.app))
            keys.insert(RowKey(.notificationSettings, app: record.app))
            for member in record.audience.keys {
                keys.insert(RowKey(.audience, app: record.app, key: member.description))
            }
            for id in record.list.records.keys {
                keys.insert(RowKey(.notifications, app: record.app, key: id.text))
            }
            for key in record.interactions.keys {
                keys.insert(RowKey(.interactions, app: record.app, key: key.text))
            }
            if record.preferences.defaults != nil { keys.insert(RowKey(.preferenceDefaults, app: record.app)) }
            for key in record.preferences.writes.keys {
                keys.insert(RowKey(.preferences, app: record.app, key: key.text))
            }
            for (id, route) in record.routes {
                for chunk in route.chunkIDs {
                    let key = RouteChunkKey(routeID: id.text, chunk: chunk)
                    keys.insert(RowKey(.routePoints, app: record.app, key: key.description))
                }
            }
        }
        return keys.filter { store.entries[$0] != nil || !memo(of: $0).isEmpty }.sorted()
    }

    /// What the fold remembers beside a row's value. Made when asked for: events change it far more often than it is
    /// written.
    private func memo(of key: RowKey) -> [UInt8] {
        let slot = key.app.flatMap { appSlots[$0] }
        switch key.collection {
        case .stream: return streamMemo
        case .devices: return DeviceID(text: key.key).flatMap { devices[$0]?.memo } ?? []
        case .focuses: return focus.entries[ByteText(key.key)]?.memo ?? []
        case .activeFocus: return focus.memo
        case .apps: return slot.map { apps[$0].memo } ?? []
        case .authorizations:
            guard let slot, let kind = AuthorizationKind(name: key.key) else { return [] }
            return apps[slot][kind]?.stamp.memo ?? []
        case .focusVisibility: return slot.map { apps[$0].reportMemo } ?? []
        case .audience:
            guard let slot, let member = UserID(text: key.key) else { return [] }
            return apps[slot].audience[member]?.stamp.memo ?? []
        case .notifications: return slot.flatMap { apps[$0].list.records[ByteText(key.key)]?.memo } ?? []
        case .workouts: return slot.flatMap { apps[$0].workouts[ByteText(key.key)]?.stamp.memo } ?? []
        case .categories: return slot.flatMap { apps[$0].categories.register?.stamp.memo } ?? []
        case .actions: return slot.flatMap { apps[$0].performed[ByteText(key.key)]?.memo } ?? []
        case .interactions:
            guard let slot, let interaction = InteractionKey(key.key) else { return [] }
            return apps[slot].interactions.memo(interaction)
        case .routePoints:
            guard let slot, let chunk = RouteChunkKey(key.key) else { return [] }
            return apps[slot].routes[ByteText(chunk.routeID)]?.chunk(chunk.chunk) ?? []
        case .notificationSettings:
            guard key.app != nil else { return SettingsMemo.bytes(defaultSettings, MuteHistory()) }
            return slot.map { SettingsMemo.bytes(apps[$0].ownSettings, apps[$0].mutes) } ?? []
        case .deliverySchedule: return summary.memo
        case .preferences: return slot.map { apps[$0].preferences.memo(of: ByteText(key.key)) } ?? []
        case .preferenceDefaults: return slot.flatMap { apps[$0].preferences.defaults?.memo } ?? []
        case .alerts, .badges, .suggestions, .refusals, .routes, .classAlerts, .routeTotals: return []
        }
    }
}

extension AuthorizationKind {
    init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
