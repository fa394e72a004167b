/// `projection.rebuilt`, appended by the server: a rebuild of the read model made these rows come out differently (rule
/// S8). Applying it sends exactly them to devices again.
public struct ProjectionRebuilt: Hashable, Sendable {
    /// Rows of one event; a rebuild that changed more of a user's rows appends several.
    public static let maximumRows = 1_000
    /// Bytes of keys of one event, so that its payload keeps to rule E5.
    public static let maximumKeyBytes = 128 * 1024

    /// The generation that shows the rows as they are now.
    public var generation: Int32
    /// Those that changed or vanished, sorted.
    public var rows: [RowKey]
    /// Older traces of removed rows were dropped already before the rebuild: a cursor below needs a snapshot.
    public var horizon: Version

    public init(generation: Int32, rows: [RowKey], horizon: Version = .zero) {
        self.generation = generation
        self.rows = rows
        self.horizon = horizon
    }
}

extension UserState {
    /// Bumps the rows that the event names; of one that this fold does not make, devices hear that it is gone.
    mutating func applyRebuilt(_ body: ProjectionRebuilt, _ context: inout FoldContext) {
        for key in body.rows where key.collection.isPublic {
            store.bump(key, at: context.version)
            context.touch(key)
        }
        store.horizon = max(store.horizon, min(body.horizon, context.version))
    }

    /// The horizon that a row of the internal collection `stream` tells; zero when it cannot be read.
    public static func horizon(inStreamMemo memo: [UInt8]) -> Version {
        var state = UserState(user: UserID(DeviceID.server.uuid))
        try? state.read(streamMemo: memo)
        return state.horizon
    }
}

extension RowStore {
    /// Has a row, or the trace of one, sent again at `version`. Without either it leaves a trace.
    mutating func bump(_ key: RowKey, at version: Version) {
        if touch(key, at: version) { return }
        leaveTombstone(key, at: version)
    }
}

extension RowCollection {
    /// The fold has no event that removes such a row: only a rebuild does.
    var isNeverRemoved: Bool {
        switch self {
        case .apps, .authorizations, .categories, .workouts, .audience, .badges, .suggestions, .focusVisibility: true
        case .focuses, .activeFocus, .notifications, .alerts, .classAlerts, .actions, .notificationSettings,
            .deliverySchedule, .routes, .preferences, .routeTotals, .refusals, .stream, .devices, .incarnations,
            .placePages, .interactions, .routePoints, .preferenceDefaults:
            false
        }
    }
}
