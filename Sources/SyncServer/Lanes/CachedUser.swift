import EventStore
import FocusCore

/// A user in a lane's memory. Between turns of the lane, `state` holds committed events only; while frames are staged,
/// it is ahead of the log.
final class CachedUser {
    let id: UserID
    let partition: Partition
    /// The generation of the read model that the state was loaded from, or one in which the user's rows are the same.
    var generation: Int32
    var state: UserState
    /// Rows that changed since `projectedVersion`: the read model lacks them, unless a batch that has them is under
    /// way.
    var dirty: DirtyRows
    /// The version up to which the read model has the user.
    var projectedVersion: Version
    /// The version of which the read model has, or was last given, the digest sums (`StoredDigests`).
    var digestedVersion = Version.zero
    /// When the user was last needed, in milliseconds of the monotonic clock: eviction goes by it.
    var lastUsed: Int64
    /// The bytes that `ResidentUsers` has counted for the user.
    var countedBytes = 0
    /// The number that it gave the user when they came.
    var arrival = 0
    /// The frames that sessions share, while rows are sent to several sessions of the user; nil otherwise.
    var deltas: DeltaFrames?

    /// The app of the event that was judged last; the next one is of the same, mostly.
    private var lastApp: AppID?

    /// The app of that name; nil when it is not a bundle identifier.
    func app(_ name: String) -> AppID? {
        guard let app = AppID(name, previous: lastApp) else { return nil }
        lastApp = app
        return app
    }

    /// Runs code that only reads the state. A call on the property would copy the state first, and so touch a reference
    /// count for each of its tables.
    func reading<Result>(_ body: (inout UserState) -> Result) -> Result { body(&state) }

    /// Moves the user to another generation of the read model, which has all rows of the state already.
    func adopt(_ generation: Int32) {
        self.generation = generation
        dirty = DirtyRows()
        projectedVersion = state.version
        digestedVersion = .zero
    }

    /// Takes the state out of a user who has left memory.
    func giveUpState() -> UserState {
        defer { state = UserState(user: id) }
        return state
    }

    /// Takes the state out, so that it is nobody else's and need not be copied to be changed. This is of no use
    /// afterwards.
    /// - Parameter head: that of the user's partition, up to which whoever takes it folds the rest.
    func takeState(as head: PartitionHead) -> LoadedUser {
        defer { (state, dirty) = (UserState(user: id), DirtyRows()) }
        return LoadedUser(
            state: state, projectedVersion: projectedVersion, touchedKeys: Set(dirty.keys), head: head,
            hasDigests: digestedVersion == projectedVersion)
    }

    /// The user's dirty rows, as they are now, and the digest sums, if few other rows have to be hashed for them.
    /// - Parameter dueAt: when something is due for the user by this very state; nil: never.
    func projected(dueAt: Timestamp?) -> ProjectedUser {
        // More rows than that are read later, and the state has two owners until then. Keys that came again are not
        // more rows.
        if dirty.count > ProjectedUser.readAtOnce { dirty.dropRepeated() }
        let limit = min(dirty.count, Self.hashedOfDirty) + Self.hashedBeside
        // While the state is an argument it has two owners, and to make a hash in it would copy its rows.
        let digests = reading { $0.storedDigests(hashingAtMost: limit) }
        return ProjectedUser(
            state, keys: dirty.keys, base: projectedVersion, dueAt: dueAt, stateBytes: approximateBytes,
            digests: digests)
    }

    /// How many rows that changed are hashed for the read model: for some hundreds of microseconds.
    private static let hashedOfDirty = 512
    /// How many rows are hashed for the read model beside those that changed: some fifty microseconds.
    private static let hashedBeside = 32

    /// Whether the read model has all that the state has, but not the digest sums.
    var lacksDigests: Bool {
        state.version > .zero && projectedVersion == state.version && digestedVersion != state.version
    }

    /// What the state remembered beside rows when it was last counted, in bytes, and the payload bytes of the events
    /// since then.
    private var (memoBytes, payloadBytes) = (0, 0)

    /// About how many bytes the user takes in memory, at most: what came since the last count is taken for four times
    /// its bytes.
    var approximateBytes: Int {
        reading { $0.approximateRowBytes } + memoBytes + Self.growth * payloadBytes + dirty.bytes
    }

    /// Records that an event with so many bytes of payload is folded into the state. Counts anew when the events since
    /// the last count may have made an eighth of what it found: so counting costs the less, the larger the user is.
    func grew(payloadBytes: Int) {
        self.payloadBytes += payloadBytes
        guard Self.growth * self.payloadBytes > max(Self.leastGrowth, memoBytes / 8) else { return }
        countMemory()
    }

    private func countMemory() { (memoBytes, payloadBytes) = (reading { $0.approximateMemoBytes }, 0) }

    /// How many times its payload an event may take in memory, beside rows.
    private static let growth = 4
    /// Bytes by which the estimate may be off before anything is counted.
    private static let leastGrowth = 256 * 1024

    init(
        id: UserID, partition: Partition, generation: Int32, state: UserState, dirty: Set<RowKey>,
        projectedVersion: Version, lastUsed: Int64
    ) {
        self.generation = generation
        self.id = id
        self.partition = partition
        self.state = state
        self.dirty = DirtyRows(Array(dirty))
        self.projectedVersion = projectedVersion
        self.lastUsed = lastUsed
        countMemory()
    }
}
