/// Everything that a user's events add up to: rows for devices, and what the fold remembers to decide the next event.
///
/// Flow: event → `validate` → refusal, or `apply` → keys of changed rows → `row` (projector), `rows` (deltas).
///
/// The rows are the state: `UserState(user:version:rows:)` of every `row` of another state behaves as that one does for
/// ever after. A copy shares storage until either is changed; then the changed one copies its tables, which costs
/// time in the number of rows. Folding many events into one owner does not.
public struct UserState: Sendable {
    public let user: UserID
    /// The version of the last event applied.
    public internal(set) var version = Version.zero
    /// The event at `version`; the nil UUID at version 0.
    public internal(set) var lastEvent = DeviceID.server.asEvent
    /// The version of the newest tombstone dropped: a cursor below it needs a snapshot (rule S5).
    public var horizon: Version { shared.store.horizon }

    var shared: SharedState
    var devices: [DeviceID: DeviceRecord] = [:]
    /// Full pages of places that this state folded; pages that a read model had before are not loaded (rule E1).
    var placePages: [RowKey: [UInt8]] = [:]
    /// The devices that were revoked (protocol.md, rule A3); each is in `devices` too.
    var revokedDevices: Set<DeviceID> = []
    /// Those of them of which the log has nothing else.
    var revokedUnseen: Set<DeviceID> = []
    /// The apps in the order in which they were first heard of; nothing may depend on that order.
    var apps: [AppRecord] = []
    /// Where each app's record is in `apps`.
    var appSlots: [AppID: Int] = [:]

    /// A user without any event.
    public init(user: UserID, rules: FoldRules = .current) {
        self.user = user
        shared = SharedState(rules)
    }

    /// Touched by every event.
    private static let streamKey = RowKey(.stream)

    /// Folds the next event of the stream in. Never validates: what is in the log was accepted.
    ///
    /// Returns the keys of the rows whose value or memo changed, perhaps some of them twice; `row` of such a key is
    /// nil when the row is to be forgotten. Throws when the event cannot be the next one, or the state is broken; the
    /// state is then unusable.
    public mutating func apply(_ event: Event) throws(FoldError) -> [RowKey] {
        try fold(event, collectsKeys: true) ?? []
    }

    /// Folds the next event in, for callers that do not ask what changed: they read `allRows` at the end.
    public mutating func applyQuietly(_ event: Event) throws(FoldError) {
        _ = try fold(event, collectsKeys: false)
    }

    private mutating func fold(_ event: Event, collectsKeys: Bool) throws(FoldError) -> [RowKey]? {
        guard event.version == version.next else { throw .versionGap(expected: version.next, found: event.version) }
        let place = try recordPlace(of: event)
        shared.begin(FoldedEvent(event, stamp: place.stamp), collectsKeys: collectsKeys)
        shared.touch(Self.streamKey)
        shared.touch(place.key)
        for key in place.others { shared.touch(key) }
        if let page = place.page { shared.touch(page.key) }
        if let app = place.app { shared.store.moveStream(of: app, at: event.version) }
        try fold(event)
        shared.recordWaiting()
        version = event.version
        lastEvent = event.id
        for slot in shared.store.movedStreams { shared.touch(shared.store.streams[slot].key) }
        shared.store.endVersion(version)
        for key in shared.store.trimTombstones() { shared.touch(key) }
        return shared.end()
    }

    private mutating func fold(_ event: Event) throws(FoldError) {
        switch event.body {
        case .appRegistered(let body): try apps[slot(of: event)].applyRegistered(body, &shared)
        case .authorizationChanged(let body): try apps[slot(of: event)].applyAuthorization(body, &shared)
        case .focusConfigured(let body): try applyFocusConfigured(body)
        case .focusRemoved(let body): try applyFocusRemoved(body)
        case .focusChanged(let body): try applyFocusChanged(body)
        case .focusStatusReported(let body): try apps[slot(of: event)].applyStatusReport(body, &shared)
        case .focusExpired(let body): try applyFocusExpired(body)
        case .audienceChanged(let body): try apps[slot(of: event)].applyAudience(body, &shared)
        case .notificationPosted(let body): try apps[slot(of: event)].applyPosted(body, &shared)
        case .notificationRead(let body): try apps[slot(of: event)].applyRead(body, &shared)
        case .notificationRemoved(let body): try apps[slot(of: event)].applyRemoved(body, &shared)
        case .interactionDonated(let body): try apps[slot(of: event)].applyDonated(body, &shared)
        case .interactionDeleted(let body): try apps[slot(of: event)].applyDeleted(body, &shared)
        case .categoriesRegistered(let body): try apps[slot(of: event)].applyCategories(body, &shared)
        case .notificationActionPerformed(let body): try apps[slot(of: event)].applyActionPerformed(body, &shared)
        case .badgeCleared: try apps[slot(of: event)].applyBadgeCleared(&shared)
        case .routeStarted(let body): try apps[slot(of: event)].applyRouteStarted(body, event.device, &shared)
        case .routeLocationsInserted(let body): try apps[slot(of: event)].applyLocations(body, &shared)
        case .workoutSaved(let body): try apps[slot(of: event)].applyWorkoutSaved(body, &shared)
        case .routeFinished(let body): try apps[slot(of: event)].applyRouteFinished(body, &shared)
        case .routeDiscarded(let body): try apps[slot(of: event)].applyRouteDiscarded(body, &shared)
        case .notificationSettingsChanged(let body) where event.app == nil: try applyDefaultSettings(body)
        case .notificationSettingsChanged(let body): try apps[slot(of: event)].applySettings(body, &shared)
        case .appMuted(let body): try apps[slot(of: event)].applyMute(body.until, &shared)
        case .appUnmuted: try apps[slot(of: event)].applyMute(nil, &shared)
        case .deliveryScheduleChanged(let body): try applyScheduleChanged(body)
        case .summaryDelivered(let body): try applySummaryDelivered(body)
        case .deviceActivity(let body): applyActivity(body)
        case .deviceActivityEnded(let body): applyActivityEnded(body)
        case .alertRingsElsewhere(let body): try applyRingsElsewhere(body)
        case .alertsSilencedChanged(let body): applySilenced(body)
        case .governmentAlertPosted(let body):
            try apps[slot(of: event)].applyPosted(body.post, isGovernmentAlert: true, &shared)
        case .actionHandled(let body): apps[try slot(of: event)].applyHandled(body, &shared)
        case .preferencesRegistered(let body): try apps[slot(of: event)].applyPreferencesRegistered(body, &shared)
        case .preferenceChanged(let body): try apps[slot(of: event)].applyPreferenceChanged(body, &shared)
        case .preferenceReset(let body): try apps[slot(of: event)].applyPreferenceReset(body, &shared)
        case .deviceRevoked(let body): applyRevoked(body)
        case .eventRefused(let body): applyRefused(body, event)
        case .deviceIncarnationBegan(let body): applyBegan(body)
        case .deviceIncarnationEnded(let body): applyEnded(body)
        // Recording its place was all: it takes its sequences and changes nothing else.
        case .deviceEventsLost: break
        case .projectionRebuilt(let body): applyRebuilt(body)
        }
    }

    /// The slot of the event's app, which is created when it is new.
    private mutating func slot(of event: Event) throws(FoldError) -> Int {
        guard let app = event.app else { throw .appMissing(event.body.type) }
        return slot(of: app)
    }

    mutating func slot(of app: AppID) -> Int {
        if let slot = appSlots[app] { return slot }
        var record = AppRecord(app)
        if shared.defaultSettings.isWritten { record.deriveSettings(&shared) }
        apps.append(record)
        appSlots[app] = apps.count - 1
        return apps.count - 1
    }

    func record(of app: AppID) -> AppRecord? { appSlots[app].map { apps[$0] } }
}

extension DeviceID {
    fileprivate var asEvent: EventID { EventID(uuid) }
}
