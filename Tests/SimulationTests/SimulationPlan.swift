import FocusCore

/// What a seed decides in advance: the size of the world and its faults.
struct SimulationPlan {
    /// How often faults happen: once in so many occasions on average; 0 for never.
    struct Faults {
        /// Faults of database calls: an error, the process dying before or after a commit, an append whose answer is
        /// lost with its connection: it was committed or not, or will be (`SimulatedConnection.Fate`).
        var appendFails = 0
        var diesBeforeCommit = 0
        var diesAfterCommit = 0
        var losesInDoubt = 0
        var readFails = 0
        /// For each other statement: the connection is lost with it, or says nothing. For each new connection: refused.
        var losesConnection = 0
        var silences = 0
        var refuses = 0
        var projectionFails = 0
        /// For each operation of a device's store: the device dies before or after it.
        var deviceDies = 0
        /// For each action of a device: its store is restored from a backup.
        var restore = 0
        /// For some actions of a device: it forgets acknowledged events.
        var forgets = 0
        /// For each re-offer of a device (rule S6): it is forged.
        var forges = 0
        /// For each action of a device: it revokes a device (rule A3).
        var revokes = 0
        /// For each action of a device: a copy of its store begins to live; acknowledged events are sent again.
        var clones = 0
        var repeats = 0
        /// For each time a server reads its wall clock: the clock steps.
        var clockSteps = 0
        /// For each database call of a server: the process stands still in it; the log falls back in it.
        var pauses = 0
        var fallsBack = 0
        /// For each load that finds the log further than its lane knows: the log falls back right after it.
        var fallsBackAfterLoads = 0

        /// Whether threads of servers wait for the database.
        var breaksConnections: Bool { losesInDoubt + losesConnection + silences + refuses > 0 }
    }

    enum Disaster {
        /// A server dies.
        case death
        /// A device and a server cannot reach each other for a while.
        case partition
        /// A connection breaks: both ends learn of it, or neither does.
        case cut, silence
        /// PostgreSQL crashes and loses the unflushed part of the read model; or flushes it.
        case lostProjections, flush
        /// A server's process stands still for a while.
        case pause
        /// A standby takes over with the whole log, and with the read model as of the last `flush`. The server before
        /// it may go on answering who reads over the connections that there were.
        case failover
    }

    var users: Int
    /// Whether some devices watch other users (rule V1).
    let watches: Bool
    var devices: Int
    /// The number of sessions of other scopes on devices.
    var scopes: Int
    /// Once in so many devices: the library is older than rule P10; the library is updated during the run.
    var oldDevices: Int
    var updates: Int
    /// The log begins with the format from before rule P10 and gets the next one while servers run.
    var raisesFormat: Bool
    /// Once in so many actions: a device appends some hundred events.
    var bulk: Int
    /// The most microseconds that a database call takes.
    var callMicroseconds: Int
    var servers: Int
    var partitions: Int32
    let lanesPerServer: Int
    /// Microseconds in which devices act and faults happen.
    let duration: Int64
    /// The most actions of a device, and the most microseconds between two of them.
    let actions: Int
    var pause: Int
    var pageBytes: Int
    var outgoingBytes: Int
    var refoldLimit: Int
    /// For each database call of a server: once in so many, another server has a turn meanwhile; 0 for never.
    var interleaves: Int
    /// Milliseconds between a lane's looks for due users.
    var lookMilliseconds: Int64
    /// Bytes of users that a lane keeps in memory: enough for all, or so few that none stays longer than half a second.
    var cacheBytes: Int
    /// The bound for users, rows and loaded users in a batch for the read model; nil: the lane's default.
    var projectionBounds: Int?
    /// How many events a user gets who has no devices and whom nobody can load; and whether they are mended when the
    /// faults end.
    var brokenEvents = 0
    var mendsBroken = false
    /// How many users without devices have events when all begins, which nobody has projected; and how many of them
    /// nobody can load.
    var crowd = 0
    var brokenCrowd = 0
    /// The bound for rows in a batch where there is a crowd: so small that there are many batches.
    let crowdRows = 256
    /// Whether it is judged how long appends wait for their answers (`LivenessBounds.commits`).
    var judgesAnswers = false
    /// How often in a row at most a lane's batch for a partition comes too late, because another server was first; nil:
    /// not judged.
    var lateLimit: Int?
    /// How often somebody begins a rebuild of the read model, goes on with one, gives it up, kills it or rolls back;
    /// once in so many statements it dies; and how often a row of the read model is made wrong.
    var rebuilds = 0
    var rebuildDies = 0
    var alters = 0
    /// Whether some rebuilds are by a program with a later fold, and servers that start then have that fold.
    var raisesFold = false
    var faults: Faults
    /// The most microseconds between two disasters; 0 for none.
    var disasters: Int
    /// The kinds of disasters, each as likely as it is listed.
    var disasterKinds: [Disaster] = [
        .death, .partition, .partition, .cut, .silence, .lostProjections, .flush, .pause, .failover,
    ]
    /// How often the log falls back.
    var restores: Int
    /// Whether servers reach the log through a pooler.
    var isPooled = false
    /// The most microseconds that bytes travel.
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
        // Not with old libraries: the log remembers only the last 256 of their events.
        oldDevices = bulk > 0 ? 0 : random.element([0, 0, 0, 3])
        callMicroseconds = random.element([0, 0, 300, 5_000])
        interleaves = random.element([0, 3, 20])
        lookMilliseconds = random.element([20, 1_000])
        if random.once(in: 3) { self.faults.losesConnection = 100 }
        if random.once(in: 4) { self.faults.silences = 400 }
        if random.once(in: 4) { self.faults.refuses = 3 }
    }

    /// Where rows are made wrong the log does not fall back: they would stay so, and nobody would know of them.
    mutating func drawRebuilds(_ random: inout SeededGenerator) {
        rebuilds = random.number(1...5)
        rebuildDies = random.element([0, 40, 15])
        raisesFold = random.once(in: 4)
        guard random.once(in: 2) else { return }
        (restores, faults.fallsBack) = (0, 0)
        alters = random.number(1...3)
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
