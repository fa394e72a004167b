// What a user's state takes in memory, for the bounds of caches and of users. Everything is counted, each thing within a
// factor of about two; what is left out is bounded and small.

extension UserState {
    /// The bytes of memory that the state takes, roughly. Costs time in proportion to what is in it.
    public var approximateBytes: Int { approximateRowBytes + approximateMemoBytes }

    /// The bytes of its rows alone, kept up to date by every event.
    public var approximateRowBytes: Int { 1_024 + shared.store.approximateBytes }

    /// The bytes of all that is remembered beside rows: decoded copies, tracks, ids, tallies, places of devices. Costs
    /// time in proportion to them, and to the rows.
    public var approximateMemoBytes: Int {
        // Entries and apps are read where they stand: a copy of one touches a reference count for each of its parts.
        let entries = shared.store.rows.entries
        let decoded = entries.indices.reduce(0) {
            Self.decoded.contains(entries[$1].key.collection) ? $0 + Self.decodedShare * entries[$1].value.count : $0
        }
        let pages = placePages.reduce(0) { $0 + 200 + $1.value.count }
        return decoded + pages + Memory.table(of: UserID.self, Bool.self, revokedDevices.count)
            + shared.approximateMemoBytes + devices.values.reduce(0) { $0 + $1.approximateBytes }
            + apps.withUnsafeBufferPointer { apps in apps.indices.reduce(0) { $0 + apps[$1].approximateBytes } }
    }

    /// The collections whose messages the fold keeps decoded beside their rows.
    private static let decoded: RowCollections = [
        .apps, .focuses, .activeFocus, .deliverySchedule, .notificationSettings, .categories, .preferenceDefaults,
        .routes, .workouts,
    ]
    /// How many times its encoded bytes a decoded message takes: strings and arrays have headers of their own.
    private static let decodedShare = 3
}

/// Sizes of tables and texts in memory.
enum Memory {
    /// A table of so many entries: about half of its places are in use.
    static func table<Key, Value>(of key: Key.Type, _ value: Value.Type, _ count: Int) -> Int {
        count * 2 * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
    }

    /// A text's bytes outside of its string: up to 15 stand in the string itself.
    static func text(_ text: String?) -> Int {
        guard let count = text?.utf8.count, count > 15 else { return 0 }
        return 32 + count
    }
}

extension SharedState {
    /// The bytes of what is remembered of the user beside rows.
    fileprivate var approximateMemoBytes: Int {
        interactionBytes + Memory.table(of: ByteText.self, FocusEntry.self, focus.entries.count)
            + focus.entries.keys.reduce(0) { $0 + Memory.text($1.text) } + people.approximateBytes
    }
}

extension AppRecord {
    /// The bytes that the record takes, but for its donations, which `SharedState.interactionBytes` counts.
    fileprivate var approximateBytes: Int {
        MemoryLayout<Self>.stride + Memory.table(of: UserID.self, Register<Bool>.self, audience.count)
            + Memory.table(of: Register<Timestamp?>.self, Bool.self, mutes.writes.count)
            + Memory.table(of: ByteText.self, Stamp.self, performed.count)
            + performed.keys.reduce(0) { $0 + Memory.text($1.text) }
            + Memory.table(of: ByteText.self, Register<WorkoutRow>.self, workouts.count)
            + routes.reduce(0) { $0 + Memory.text($1.key.text) + $1.value.approximateBytes } + people.approximateBytes
            + list.approximateBytes + interactions.approximateBytes + preferences.approximateBytes
            + waitingActions.approximateBytes
    }
}

extension WaitingActions {
    fileprivate var approximateBytes: Int { Memory.table(of: EventID.self, Entry.self, entries.count) }
}

extension [ByteText: PersonTally] {
    fileprivate var approximateBytes: Int {
        reduce(Memory.table(of: ByteText.self, PersonTally.self, count)) {
            $0 + Memory.text($1.key.text) + $1.value.approximateBytes
        }
    }
}

extension RouteRecord {
    /// The bytes of its points; its row is counted with the rows.
    fileprivate var approximateBytes: Int {
        let point = MemoryLayout<RoutePoint>.stride + MemoryLayout<RouteLength>.stride + MemoryLayout<Double>.stride
        let open = track.map { $0.counts.accepted * point * 3 / 2 + $0.chunks.count * 1_024 } ?? 0
        return 2 * MemoryLayout<Self>.stride + open + sealedChunks.values.reduce(0) { $0 + 64 + $1.count }
    }
}

extension NotificationList {
    fileprivate var approximateBytes: Int {
        let texts = records.reduce(0) { $0 + Memory.text($1.key.text) + Memory.text($1.value.post?.sender) }
        let marked = held.count + waiting.count + withClassAlerts.count
        return texts + Memory.table(of: ByteText.self, NotificationRecord.self, records.count)
            + Memory.table(of: ByteText.self, Bool.self, marked)
    }
}

extension InteractionTable {
    fileprivate var approximateBytes: Int {
        // An interaction of a conversation stands in that conversation's set too.
        let ids = records.keys.reduce(0) { $0 + Memory.text($1.text) }
        let named = deletedConversations.keys.reduce(0) { $0 + Memory.text($1.text) }
        return ids + named + Memory.table(of: ByteText.self, InteractionRecord.self, records.count)
            + Memory.table(of: ByteText.self, Bool.self, donatedCount) + conversations.count * 200
            + Memory.table(of: ByteText.self, Stamp.self, deletedConversations.count)
    }
}

extension PreferenceTable {
    fileprivate var approximateBytes: Int {
        let keys = writes.keys.reduce(0) { $0 + Memory.text($1.text) }
        let rows = defaults?.rows.reduce(0) { $0 + Memory.text($1.key.text) + 100 + $1.value.count } ?? 0
        return keys + rows + Memory.table(of: ByteText.self, Register<Bool>.self, writes.count)
    }
}
