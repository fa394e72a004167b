import FocusCore

/// What a seed decides before anything happens: how large the world is and how bad.
struct SimulationPlan {
    /// How often something goes wrong: once in so many occasions, 0 for never.
    struct Faults {
        /// Of database calls: an error, the process dying before or after a commit, a commit in doubt that lost.
        var appendFails = 0
        var diesBeforeCommit = 0
        var diesAfterCommit = 0
        var losesInDoubt = 0
        var readFails = 0
        var projectionFails = 0
        /// Of store operations of a device: it dies before or after it.
        var deviceDies = 0
        /// Of a device's actions.
        var restore = 0
        /// It forgets acknowledged events.
        var forgets = 0
        /// Of what it offers again (rule S6).
        var forges = 0
        /// Of a device's actions: it revokes one (rule A3).
        var revokes = 0
        /// Of a device's actions: a copy of its store begins to live; an old frame of it is sent again.
        var clones = 0
        var repeats = 0
        /// Of a server's looks at its wall clock: it steps.
        var clockSteps = 0
        /// Of a server's database calls: the process stands still in it; the log falls back in it.
        var pauses = 0
        var fallsBack = 0
        /// The log falls back right after one of so many loads that find more of it than their lane knows.
        var fallsBackAfterLoads = 0
    }

    enum Disaster {
        /// Of a server.
        case death
        /// Of a device and a server, for a while.
        case partition
        /// A connection breaks, and both ends hear of it; or neither does.
        case cut, silence
        /// PostgreSQL crashes and loses what was not flushed of the read model; or flushes it.
        case lostProjections, flush
        /// A server's process stands still for a while.
        case pause
        /// A standby takes over that has the log, and of the read model what the last `flush` left.
        case failover
    }

    var users: Int
    /// Some devices watch other users (rule V1).
    let watches: Bool
    var devices: Int
    /// Sessions of other scopes on devices.
    var scopes: Int
    /// Devices whose library is older than rule P10, once in so many; and those that get a newer one some time.
    var oldDevices: Int
    var updates: Int
    /// The log begins with the format before rule P10, and gets the other while servers run.
    var raisesFormat: Bool
    /// Actions that append some hundred events, once in so many.
    var bulk: Int
    /// Microseconds that a database call takes, at most.
    var callMicroseconds: Int
    var servers: Int
    var partitions: Int32
    let lanesPerServer: Int
    /// Microseconds in which devices act and things break.
    let duration: Int64
    /// What each device does at most, and the microseconds between two of them at most.
    let actions: Int
    var pause: Int
    var pageBytes: Int
    var outgoingBytes: Int
    var refoldLimit: Int
    /// Of a server's database calls: another server has a turn meanwhile, once in so many; 0: never.
    var interleaves: Int
    /// Between two looks of a lane for who is due.
    var lookMilliseconds: Int64
    /// What the lanes keep of users: everything, or nobody for longer than half a second.
    var cacheBytes: Int
    /// Users, rows and loaded users of a batch for the read model; nil: as a lane has them.
    var projectionBounds: Int?
    var faults: Faults
    /// Microseconds between two disasters, at most; 0: none.
    var disasters: Int
    /// Which ones, each as often as it stands here.
    var disasterKinds: [Disaster] = [
        .death, .partition, .partition, .cut, .silence, .lostProjections, .flush, .pause,
    ]
    /// How often the log is restored from a backup.
    var restores: Int
    /// Servers reach the log through a pooler.
    var isPooled = false
    /// Microseconds that bytes travel, at most.
    var latency: Int
    /// Whether devices keep their data in SQLite, as the client library does, or in memory.
    var usesSQLite: Bool

    init(_ random: inout SeededGenerator, usesSQLite: Bool) {
        self.usesSQLite = usesSQLite
        users = random.number(1...3)
        watches = users > 1 && random.once(in: 2)
        devices = users + random.number(1...3)
        servers = random.number(1...3)
        partitions = Int32(random.number(1...2))
        lanesPerServer = random.number(1...2)
        duration = Int64(random.number(1...8)) * 1_000_000
        actions = random.number(4...16)
        pause = random.element([60_000, 300_000, 1_000_000])
        pageBytes = random.element([300, 1_500, 64 * 1024])
        outgoingBytes = random.element([400, 4_000, 256 * 1024])
        refoldLimit = random.element([2, 1_000])
        cacheBytes = random.once(in: 4) ? 1 : 512 * 1024 * 1024
        latency = random.element([2_000, 30_000, 400_000])
        disasters = random.element([0, 1_500_000, 6_000_000])
        restores = random.element([0, 0, 1, 1, 2])
        var faults = Faults()
        if random.once(in: 3) { faults.revokes = 2 }
        if random.once(in: 3) { faults.forgets = 1 }
        if random.once(in: 4) { faults.forges = 4 }
        if random.once(in: 2) { faults.appendFails = 30 }
        if random.once(in: 2) { faults.diesBeforeCommit = 60 }
        if random.once(in: 2) { faults.diesAfterCommit = 60 }
        if random.once(in: 2) { faults.losesInDoubt = 20 }
        if random.once(in: 3) { faults.readFails = 80 }
        if random.once(in: 2) { faults.projectionFails = 4 }
        if random.once(in: 2) { faults.deviceDies = 60 }
        if random.once(in: 2) { faults.restore = 1 }
        if random.once(in: 3) { faults.clones = 2 }
        if random.once(in: 3) { faults.repeats = 1 }
        if random.once(in: 4) { faults.clockSteps = random.element([10, 100]) }
        if random.once(in: 4) { faults.pauses = 200 }
        if random.once(in: 6) { faults.fallsBack = 300 }
        self.faults = faults
        scopes = random.element([0, 0, 1, 2])
        updates = random.element([0, 0, 0, 2])
        raisesFormat = random.once(in: 6)
        bulk = random.element([0, 0, 0, 0, 0, 0, 0, 6])
        // Of what those say the log remembers 256 events.
        oldDevices = bulk > 0 ? 0 : random.element([0, 0, 0, 3])
        callMicroseconds = random.element([0, 0, 300, 5_000])
        interleaves = random.element([0, 3, 20])
        lookMilliseconds = random.element([20, 1_000])
    }

    var limits: SessionLimits {
        var limits = SessionLimits()
        limits.heartbeatMilliseconds = 4_000
        limits.stalledMilliseconds = 5_000
        limits.helloMilliseconds = 5_000
        limits.expiryWarningMilliseconds = 3_000
        limits.unacknowledgedAppends = 3
        limits.outgoingBytes = outgoingBytes
        limits.backoffMilliseconds = 50...500
        return limits
    }
}
