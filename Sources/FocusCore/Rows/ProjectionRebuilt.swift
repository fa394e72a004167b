/// `projection.rebuilt`, appended by the server: a rebuild of the read model made these rows come out differently (rule
/// S8). Applying it sends exactly them to devices again.
public struct ProjectionRebuilt: Hashable, Sendable {
    /// The most rows that one event names; a rebuild that changed more of a user's rows appends several events.
    public static let maximumRows = 1_000
    /// The most bytes of keys that one event holds, so that its payload keeps to rule E5.
    public static let maximumKeyBytes = 128 * 1024

    /// The generation that shows the rows as they are now.
    public var generation: Int32
    /// The rows that changed or vanished, sorted.
    public var rows: [RowKey]
    /// The version of the newest trace of a removed row that was dropped before the rebuild: a cursor below it needs a
    /// snapshot.
    public var horizon: Version

    public init(generation: Int32, rows: [RowKey], horizon: Version = .zero) {
        self.generation = generation
        self.rows = rows
        self.horizon = horizon
    }
}

extension UserState {
    /// Bumps the rows that the event names; devices hear that a row which this fold does not make is gone.
    mutating func applyRebuilt(_ body: ProjectionRebuilt) {
        let version = shared.event.version
        for key in body.rows where key.collection.isPublic {
            shared.store.bump(key, at: version)
            shared.store.markRebuilt(key)
            shared.touch(key)
        }
        moveToEnd(refusals: body.rows)
        guard body.horizon > .zero else { return }
        shared.store.horizon = max(shared.store.horizon, min(body.horizon, version))
        // Which app's the dropped tombstones were is not known.
        for key in shared.store.closeStreams() { shared.touch(key) }
    }

    /// The horizon in the memo of the internal row `stream`; zero when the memo cannot be read.
    public static func horizon(inStreamMemo memo: [UInt8]) -> Version {
        var state = UserState(user: UserID(DeviceID.server.uuid))
        try? state.read(streamMemo: memo)
        return state.horizon
    }
}

extension RowStore {
    /// Marks a row, or the trace of one, as changed at `version`, so that it is sent again. Without either it creates a
    /// trace.
    mutating func bump(_ key: RowKey, at version: Version) {
        if resend(key, at: version) { return }
        putTombstone(key, at: version)
    }
}
