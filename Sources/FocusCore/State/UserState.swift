/// Everything that a user's events add up to: rows for devices, and what the fold remembers to decide the next event.
///
/// Flow: event → `validate` → refusal, or `apply` → keys of changed rows → `row` (projector), `rows` (deltas).
///
/// The rows are the state: `UserState(user:version:rows:)` of every `row` of another state behaves as that one does for
/// ever after. A copy shares storage until either is changed; then the changed one copies its tables, which costs
/// time in the number of rows. Folding many events into one owner does not.
public struct UserState: Sendable {
    public let user: UserID
    /// The numbers in the rules.
    let rules: FoldRules
    /// The version of the last event applied.
    public internal(set) var version = Version.zero
    /// The event at `version`; the nil UUID at version 0.
    public internal(set) var lastEvent = DeviceID.server.asEvent
    /// The version of the newest tombstone dropped: a cursor below it needs a snapshot (rule S5).
    public var horizon: Version { store.horizon }

    var store = RowStore()
    var devices: [DeviceID: DeviceRecord] = [:]
    /// Full pages of places that this state folded; pages that a read model had before are not loaded (rule E1).
    var placePages: [RowKey: [UInt8]] = [:]
    /// The devices that were revoked (protocol.md, rule A3); each is in `devices` too.
    var revokedDevices: Set<DeviceID> = []
    var focus = FocusTable()
    /// The apps in the order in which they were first heard of; nothing may depend on that order.
    var apps: [AppRecord] = []
    var appSlots: [AppID: Int] = [:]
    /// The people with whom the interactions of all apps were, by handle (rule I3).
    var people: [ByteText: PersonTally] = [:]
    /// The bytes of memory that donations take, roughly.
    var interactionBytes = 0
    /// The default settings for all apps (rule N15).
    var defaultSettings = SettingsTable()
    var summary = SummaryTable()
    /// How many notifications are in the lists' `waiting`.
    var waitingCount = 0

    /// A user without any event.
    public init(user: UserID, rules: FoldRules = .current) {
        self.user = user
        self.rules = rules
    }

    /// Touched by every event.
    private static let streamKey = RowKey(.stream)

    /// Folds the next event of the stream in. Never validates: what is in the log was accepted.
    ///
    /// Returns the keys of the rows whose value or memo changed, perhaps some of them twice; `row` of such a key is
    /// nil when the row is to be forgotten. Throws when the event cannot be the next one, or the state is broken; the
    /// state is then unusable.
    public mutating func apply(_ event: Event) throws(FoldError) -> [RowKey] {
        try fold(event, notesRows: true) ?? []
    }

    /// Folds the next event in, for callers that do not ask what changed: they read `allRows` at the end.
    public mutating func applyQuietly(_ event: Event) throws(FoldError) {
        _ = try fold(event, notesRows: false)
    }

    private mutating func fold(_ event: Event, notesRows: Bool) throws(FoldError) -> [RowKey]? {
        guard event.version == version.next else { throw .versionGap(expected: version.next, found: event.version) }
        let place = try recordPlace(of: event)
        var context = FoldContext(event, stamp: place.stamp, notesRows: notesRows)
        context.touch(Self.streamKey)
        context.touch(place.key)
        for key in place.others { context.touch(key) }
        if let page = place.page { context.touch(page.key) }
        try fold(event, &context)
        noteWaiting(&context)
        version = event.version
        lastEvent = event.id
        if store.tombstones.count > TombstoneQueue.limit {
            for key in store.trimTombstones() { context.touch(key) }
        }
        return context.touched
    }

    private mutating func fold(_ event: Event, _ context: inout FoldContext) throws(FoldError) {
        switch event.body {
        case .appRegistered(let body): try applyAppRegistered(body, try slot(of: event), &context)
        case .authorizationChanged(let body): try applyAuthorization(body, try slot(of: event), &context)
        case .focusConfigured(let body): try applyFocusConfigured(body, &context)
        case .focusRemoved(let body): try applyFocusRemoved(body, &context)
        case .focusChanged(let body): try applyFocusChanged(body, &context)
        case .focusStatusReported(let body): applyStatusReport(body, try slot(of: event), &context)
        case .focusExpired(let body): try applyFocusExpired(body, &context)
        case .audienceChanged(let body): applyAudience(body, try slot(of: event), &context)
        case .notificationPosted(let body): applyPosted(body, try slot(of: event), &context)
        case .notificationRead(let body): try applyRead(body, try slot(of: event), &context)
        case .notificationRemoved(let body): applyRemoved(body, try slot(of: event), &context)
        case .interactionDonated(let body): applyDonated(body, try slot(of: event), &context)
        case .interactionDeleted(let body): applyDeleted(body, try slot(of: event), &context)
        case .categoriesRegistered(let body): try applyCategories(body, try slot(of: event), &context)
        case .notificationActionPerformed(let body): try applyActionPerformed(body, try slot(of: event), &context)
        case .badgeCleared: applyBadgeCleared(try slot(of: event), &context)
        case .routeStarted(let body): applyRouteStarted(body, event.device, try slot(of: event), &context)
        case .routeLocationsInserted(let body): applyLocations(body, try slot(of: event), &context)
        case .workoutSaved(let body): applyWorkoutSaved(body, try slot(of: event), &context)
        case .routeFinished(let body): try applyRouteFinished(body, try slot(of: event), &context)
        case .routeDiscarded(let body): applyRouteDiscarded(body, try slot(of: event), &context)
        case .notificationSettingsChanged(let body):
            try applySettings(body, event.app.map { slot(of: $0) }, &context)
        case .appMuted(let body): applyMute(body.until, try slot(of: event), &context)
        case .appUnmuted: applyMute(nil, try slot(of: event), &context)
        case .deliveryScheduleChanged(let body): try applyScheduleChanged(body, &context)
        case .summaryDelivered(let body): try applySummaryDelivered(body, &context)
        case .preferencesRegistered(let body): applyPreferencesRegistered(body, try slot(of: event), &context)
        case .preferenceChanged(let body): applyPreferenceChanged(body, try slot(of: event), &context)
        case .preferenceReset(let body): applyPreferenceReset(body, try slot(of: event), &context)
        case .deviceRevoked(let body): applyRevoked(body, &context)
        case .eventRefused(let body): applyRefused(body, event, &context)
        case .deviceIncarnationBegan(let body): applyBegan(body, &context)
        case .deviceIncarnationEnded(let body): applyEnded(body, &context)
        // Recording its place was all: it takes its sequences and changes nothing else.
        case .deviceEventsLost: break
        case .projectionRebuilt(let body): applyRebuilt(body, &context)
        }
    }

    /// The slot of the event's app, which is created when it is new.
    private mutating func slot(of event: Event) throws(FoldError) -> Int {
        guard let app = event.app else { throw .appMissing(event.body.type) }
        return slot(of: app)
    }

    mutating func slot(of app: AppID) -> Int {
        if let slot = appSlots[app] { return slot }
        apps.append(AppRecord(app))
        if defaultSettings.isWritten {
            apps[apps.count - 1].settings = EffectiveSettings(app: SettingsTable(), default: defaultSettings)
            _ = store.hiddenPreviews.set(app, apps[apps.count - 1].settings)
        }
        appSlots[app] = apps.count - 1
        return apps.count - 1
    }

    func record(of app: AppID) -> AppRecord? { appSlots[app].map { apps[$0] } }

    /// The decoded value of a row that must be there.
    func value<Value: RowMessage>(of key: RowKey) throws(FoldError) -> Value {
        guard let entry = store[key], !entry.isDeleted, let value = try? Value(decoding: entry.value) else {
            throw .corruptRow(key)
        }
        return value
    }

    mutating func put(_ key: RowKey, _ value: [UInt8], _ context: inout FoldContext) {
        if store.put(key, value, at: context.version) { context.touch(key) }
    }

    mutating func remove(_ key: RowKey, _ context: inout FoldContext) {
        if store.remove(key, at: context.version) { context.touch(key) }
    }
}

extension DeviceID {
    fileprivate var asEvent: EventID { EventID(uuid) }
}
