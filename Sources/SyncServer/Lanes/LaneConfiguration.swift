import FocusCore

/// The bounds of a lane, and its rhythms.
struct LaneConfiguration: Sendable {
    /// Events of one append statement. More waits for the next.
    var eventsPerStatement = 4_000
    /// Payload bytes of one append statement.
    var bytesPerStatement = 16 * 1024 * 1024
    /// How long a statement waits for appends that are about to come, when the last one carried more than wait now: about
    /// a device's round trip on a fast network, and less than a commit takes.
    var gatherMicroseconds = 500
    /// Memory for users' states; past it the least recently used leave.
    var cacheBytes = 512 * 1024 * 1024
    /// How often the cache is held against its bound: adding it up costs time in the number of users.
    var cacheCheckMilliseconds: Int64 = 500
    /// How often heads are looked up when nobody says that they moved. Behind it stands the rule that a server which has
    /// not confirmed its heads for `freshnessMilliseconds` sends no rows.
    var pollMilliseconds: Int64 = 250
    var freshnessMilliseconds: Int64 = 1_000
    /// A checkpoint follows the last delta by this much (rule S9).
    var checkpointMilliseconds: Int64 = 1_000
    /// Rows of one frame; see `Subscription.pageBytes`.
    var pageBytes = Subscription.pageBytes
    /// How long changed rows gather before they are written to the read model: a row that changes often is written once.
    var projectionMilliseconds: Int64 = 800
    /// Appends pause when none came for so long. What has gathered is written then: little more would gather, and the
    /// machine has the time.
    var pauseMilliseconds: Int64 = 100
    /// Users of one batch for the read model. More follow with the next.
    var usersPerProjection = 512
    /// Rows of one batch, or one user's: a server that starts on a log which was never projected has millions to write.
    var rowsPerProjection = 16_384
    /// Users of one batch that are not in memory: each is loaded first.
    var loadsPerProjection = 64
    /// A gap of more events than this is not folded into cached states: they are loaded again.
    var refoldLimit = 1_000
    /// How often the lane looks whether something is due (rules T1, T3), while there is nothing left from the last
    /// look.
    var lookMilliseconds: Int64 = 1_000
    /// Users that one look takes up of those whom the read model names, and of those who get an event. More follow with
    /// the next turn of the lane; appends of devices go between.
    var dueUsersPerLook = 512
    /// Users in one load statement.
    var usersPerLoad = 256
    /// What a device's earlier connection to another server had under way may be committed this long after it came
    /// here, without being taken for a second connection (rule P8).
    var supersedeMilliseconds: Int64 = 2_000
    /// A user whose fold failed is not tried again sooner.
    var quarantineMilliseconds: Int64 = 30_000

    init() {}
}
