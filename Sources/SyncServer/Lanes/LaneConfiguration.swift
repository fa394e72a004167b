import FocusCore

/// The bounds of a lane, and its intervals.
struct LaneConfiguration: Sendable {
    /// Events in one append statement. A frame that comes when they are reached waits for the next statement. Turns put
    /// few frames of each user into one, and each user costs something in it: half as many events take a tenth more.
    var eventsPerStatement = 8_000
    /// Payload bytes in one append statement, bounded in the same way.
    var bytesPerStatement = 16 * 1024 * 1024
    /// The work of one user's devices in one append statement, in units of `Work`, about microseconds: others wait for
    /// that long at most (rule Q1). An event that passes it is the user's last there; the rest of its frame goes on in
    /// a later one. So a statement gets large where many users append, and not where one appends much.
    var workPerUser = 20_000
    /// The work in one append statement, bounded in the same way: a user who comes back waits for that long at most.
    var workPerStatement = 400_000
    /// An event that takes more work than this to fold, as estimated, is logged at once and folded beside the lane: its
    /// user waits for that, and nobody else (rule Q1).
    var workBesideLane = 2_000
    /// Events of so many users may be on their way there. They take a quarter of `cacheBytes` at most, and the last one
    /// past it. Past either bound the lane folds them itself.
    var foldsBesideLane = 64
    /// The work of a user who asks for little: at once, and again within `lightWorkMilliseconds`, a fiftieth of a
    /// processor. Their wait is what the next ones bound.
    var lightWork = 300
    var lightWorkMilliseconds: Int64 = 15
    /// The work of a quiet user, for whom others make room: at once, and again within `quietWorkMilliseconds`. It is some
    /// fifteen events, and then seventy a second: less than a device asks for that sends event after event.
    var quietWork = 1_000
    var quietWorkMilliseconds: Int64 = 200
    /// While such users append too, what a statement does for each other user past that is so much in all: they
    /// wait for one such statement at most, and for their own. Bulk takes more statements then.
    var workBesideLight = 1_000
    /// The machine lacks time when the lane is busy for longer than this before a statement is answered, and for more than
    /// twice the shortest such time of late, which is long where a commit waits for a distant standby.
    var statementMilliseconds: Int64 = 2
    /// How many times as long as a statement took beyond `statementMilliseconds` bulk rests. A statement that took
    /// 2.5 ms more makes it rest for `bulkRestMilliseconds`, which is the most.
    var bulkRestPerMillisecond: Int64 = 200
    /// How long bulk rests at most behind its last statement.
    var bulkRestMilliseconds: Int64 = 500
    /// For how long bulk makes room after a statement of a quiet user who asks for little, unless they are held back as bulk
    /// before; and how long a user is taken for one who asks for much at most, once they ask for nothing more.
    var lightMilliseconds: Int64 = 1_000
    /// A device rests after an event that alone took more work than this (rule Q1).
    var workOfDearEvent = 5_000
    /// How long it rests at most; see `Work.perRestMillisecond`.
    var restMilliseconds: Int64 = 30_000
    /// For how long a lane locks a partition before it appends, after another server was first there. It is as long
    /// again when there were events of others by then.
    var contentionMilliseconds: Int64 = 5_000
    /// Events in a statement that has locked its partitions, bounded in the same way: other servers wait meanwhile.
    var eventsPerLock = 256
    /// Payload bytes in such a statement.
    var bytesPerLock = 1024 * 1024
    /// How long a statement waits for more appends at most, when the last one answered more frames than wait now. It is
    /// about what answers take to their devices, and their next frames back, while all processors are busy: half of it
    /// makes statements a fifth smaller, which costs PostgreSQL a seventh more for each event.
    var gatherMicroseconds = 1_000
    /// Bytes of users' states in memory. Past this those are evicted who were not used for long.
    var cacheBytes = 512 * 1024 * 1024
    /// Bytes of one user's state in memory. Events that need more room are answered `quota_exceeded` past this (rule
    /// Q4).
    var userBytes = 64 * 1024 * 1024
    /// See `SessionLimits.eventsPerDay`.
    var eventsPerDay = SessionLimits().eventsPerDay
    /// See `SessionLimits.bytesPerDay`.
    var bytesPerDay = SessionLimits().bytesPerDay
    /// Sessions that a device has in one scope; one more is told to go (rule Q6).
    var sessionsPerDevice = 8
    /// Sessions that a user's devices have together; one more is told to go (rule Q6).
    var sessionsPerUser = 1_024
    /// How often the heads are looked up when nobody says that they moved: several times within
    /// `freshnessMilliseconds`.
    var pollMilliseconds: Int64 = 250
    /// A server that has not confirmed its heads for this long sends no rows until it has (rules A3, V2).
    var freshnessMilliseconds: Int64 = 1_000
    /// A lane that has waited for the database for this long, and is not fresh any more, answers what comes with
    /// `unavailable` (rule G2).
    var unavailableMilliseconds: Int64 = 2_000
    /// How long after the first rows since the last checkpoint the next one follows (rule S9).
    var checkpointMilliseconds: Int64 = 1_000
    /// How many reports of its use are logged of a device and scope in an hour (rule L6); what they used flows back
    /// evenly. It counts as out of use while it has more to report.
    var activityPerHour = 120
    /// Bytes of rows in one frame; see `Subscription.pageBytes`.
    var pageBytes = Subscription.pageBytes
    /// Large pages that a turn sends to all sessions that are behind: what devices append goes between.
    var pagesPerTurn = 4
    /// To look at so many rows counts as a large page: it takes about as long, some 500 microseconds.
    var rowsPerPage = 1_000
    /// Sessions of a user that are sent rows at once, and how long the others wait for their turn where the user has
    /// more: so they take about a twentieth of an event loop, whatever their devices say.
    var sessionsAtOnce = 64
    var sessionsPauseMilliseconds: Int64 = 16
    /// Bytes of rows that a turn hashes for checkpoints, bounded in the same way, and a quarter of it more for users
    /// who have few rows to hash.
    var hashedBytesPerTurn = 128 * 1024
    /// How long changed rows gather before they are written to the read model: a row that changes often is written
    /// once.
    var projectionMilliseconds: Int64 = 800
    /// How long the log must not grow for the rows that have gathered to be written early: little more would gather,
    /// and the machine is idle.
    var pauseMilliseconds: Int64 = 100
    /// Users in one batch for the read model. More follow with the next batch.
    var usersPerProjection = 512
    /// Rows in one batch, which the rows of its last user may pass: a server that starts on a log which was never
    /// projected has millions to write.
    var rowsPerProjection = 16_384
    /// Bytes of rows in one batch, bounded in the same way.
    var bytesPerProjection = 32 * 1024 * 1024
    /// How many users who are not in memory are loaded for one batch, or for one look at what is due.
    var loadsPerProjection = 64
    /// When another server has appended more events than this to a partition, they are not folded one by one: their
    /// users are loaded again.
    var refoldLimit = 1_000
    /// How often the lane looks whether something is due (rules T1, T3). A look that left users out is followed by the
    /// next at once.
    var lookMilliseconds: Int64 = 1_000
    /// How many due users of the read model one look takes up, and how many users get their events at once. The next
    /// turn of the lane goes on with the others; appends of devices go between.
    var dueUsersPerLook = 512
    /// Users in one load statement.
    var usersPerLoad = 256
    /// For how long after a session opened the appends of its device on another server are taken for those that its
    /// earlier connection had under way, and not for a second connection of the device (rule P8).
    var supersedeMilliseconds: Int64 = 2_000
    /// How long a user whose fold failed is quarantined, and one whose rows the database refuses is not projected.
    var quarantineMilliseconds: Int64 = 30_000

    init() {}
}
