import EventStore
import FocusCore
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import PostgresClient
import Waits

@testable import SyncServer

/// A server: the real lanes, session handlers and budgets, on an event loop that runs only when the simulation steps
/// it. `SimulatedLink` replaces TCP, `SimulatedStore` PostgreSQL, and the simulation's turns replace threads. When the
/// server dies, what it kept in memory is lost.
final class SimulatedServer {
    /// The server from one start to the next death.
    final class Process {
        let loop: EmbeddedEventLoop
        let services: ConnectionServices
        fileprivate(set) var workers: [LaneWorker]
        fileprivate(set) var links: [SimulatedLink] = []
        fileprivate var channels: [EmbeddedChannel] = []
        fileprivate var nextTurn = Int64.max
        /// Positive if the log fell back in the middle of a turn: messages of this turn may be from before, and leave
        /// in the next.
        fileprivate(set) var staleTurns = 0
        /// The history of the log at the start (see `Simulation.history`).
        let bornIn: Int
        /// For each history of the log, the versions up to which the server has certainly read or written each user's
        /// events.
        private var seen: [Int: [UserID: Version]] = [:]
        /// What loads have seen whose answers are posted.
        fileprivate var loads: [(user: UserID, version: Version, history: Int)] = []
        /// When the server saw that devices were revoked.
        private(set) var revocations: [DeviceID: Int64] = [:]

        fileprivate init(_ loop: EmbeddedEventLoop, _ services: ConnectionServices, bornIn history: Int) {
            self.loop = loop
            self.services = services
            workers = []
            bornIn = history
        }

        /// Nil: the server has seen nothing of the user.
        func seen(_ user: UserID, _ history: Int) -> Version? { seen[history]?[user] }

        fileprivate func forgetHistory() { revocations = [:] }

        /// Stops everything that runs in the process, and breaks its reference cycles.
        fileprivate func end() {
            for channel in channels where channel.isActive { channel.close(promise: nil) }
            (links, workers, channels) = ([], [], [])
            loop.shutdownGracefully { _ in }
        }

        /// What a load saw counts from the end of the turn on that takes it up.
        fileprivate func seesLoads(_ simulation: Simulation) {
            for load in loads { sees(load.user, load.version, simulation, in: load.history) }
            loads = []
        }

        fileprivate func sees(
            _ user: UserID, _ version: Version, _ simulation: Simulation, in history: Int? = nil
        ) {
            let history = history ?? simulation.history
            let before = seen(user, history) ?? .zero
            seen[history, default: [:]][user] = max(before, version)
            guard history == simulation.history else { return }
            for device in simulation.devices where device.user == user && revocations[device.id] == nil {
                guard let revocation = simulation.witness.revocations[device.id], revocation.version <= version
                else { continue }
                revocations[device.id] = simulation.clock.now
            }
        }
    }

    private static let noDatabase = StoreConfiguration(PostgresConfiguration(conninfo: ""))
    let index: Int
    private(set) var process: Process?
    private unowned let simulation: Simulation
    private var random: SeededGenerator
    /// The wall clock's error in microseconds; it changes in steps, within about one and a half seconds of the true
    /// time.
    private var clockOffset: Int64
    private var clockRandom: SeededGenerator
    /// Until this moment the process stands still.
    private var pausedUntil: Int64 = 0
    private var lives = 0
    private(set) var isInTurn = false

    init(_ index: Int, _ simulation: Simulation) {
        self.index = index
        self.simulation = simulation
        random = SeededGenerator(seed: simulation.seed, of: "server", index)
        clockOffset = Int64(random.number(-900_000...900_000))
        clockRandom = SeededGenerator(seed: simulation.seed, of: "clock", index)
    }

    // MARK: Life

    func start() {
        guard process == nil else { return }
        lives += 1
        simulation.trace("server \(index) starts")
        let time = DatabaseTime(simulation.clock.server { [weak self] in self?.lookAtClock() ?? 0 }, logger: logger)
        let clock = time.clock
        let plan = simulation.plan
        let budget = InboundBudget(limit: 64 * 1024)
        // Never started: no notification arrives, and all servers poll.
        let faults = Faults()
        let hints = HeadHints(configuration: Self.noDatabase, faults: faults, logger: logger)
        let format = LogFormat(simulation.log.format)
        let context = LaneContext(
            log: simulation.log.identity, format: format, store: Self.noDatabase,
            configuration: configuration(plan), clock: clock, databaseTime: time, budget: budget, hints: hints,
            faults: faults, freshness: Freshness(lanes: plan.lanesPerServer), logger: logger,
            receiptKey: simulation.receiptKey)
        let lanes = Lanes(
            lanes: (0..<plan.lanesPerServer).map { Lane(name: "lane-\($0)") }, partitions: plan.partitions)
        let services = ConnectionServices(
            limits: plan.limits, format: format, clock: clock, tokens: SimulatedTokens(), lanes: lanes, budget: budget,
            parts: PartialFrames(limit: 64 * 1024), quotas: RequestQuotas(plan.limits),
            connections: ConnectionRegistry(limits: ConnectionLimits()), logger: logger,
            isFresh: { context.isFresh(since: $0) })
        let loop = EmbeddedEventLoop()
        loop.advanceTime(to: .uptimeNanoseconds(UInt64(simulation.clock.now) * 1_000))
        let new = Process(loop, services, bornIn: simulation.history)
        new.workers = lanes.lanes.indices.map { lane in
            LaneWorker(
                context: context, index: lane, partitions: lanes.partitions(of: lane),
                mailbox: lanes.lanes[lane].mailbox, store: store(lane, new),
                services: LaneServices(
                    projector: projector(lanes.lanes[lane].mailbox, new),
                    loader: loader(lanes.lanes[lane].mailbox, new), fetcher: NoFetcher(),
                    placeFinder: placeFinder(lanes.lanes[lane].mailbox, new)))
        }
        process = new
        wake()
    }

    /// The process dies; only what is committed remains.
    func die() {
        guard process != nil else { return }
        simulation.trace("server \(index) dies")
        end()
        simulation.after(random.number(10_000...3_000_000), rank: index) { [weak self] in self?.start() }
    }

    /// The log fell back while the server lives on: revocations that the server saw may be lost.
    func forgetHistory() { process?.forgetHistory() }

    func logFell() { if isInTurn { process?.staleTurns = 2 } }

    func end() {
        guard let process else { return }
        self.process = nil
        pausedUntil = 0
        for link in process.links { link.serverDied() }
        for worker in process.workers {
            worker.deliveries.removeAll()
            worker.log.unlock()
        }
        process.end()
    }

    private func lookAtClock() -> Int64 {
        if clockRandom.once(in: simulation.faults.clockSteps) {
            let step = clockRandom.element([-1_000_000, -20_000, 20_000, 1_000_000] as [Int64])
            if abs(clockOffset + step) <= 1_500_000 { clockOffset += step }
        }
        return clockOffset
    }

    var isPaused: Bool { pausedUntil > simulation.clock.now }

    /// - Parameter wait: microseconds.
    func pause(for wait: Int) {
        guard process != nil else { return }
        simulation.trace("server \(index) stands still for \(wait / 1_000) ms")
        pausedUntil = max(pausedUntil, simulation.clock.now + Int64(wait))
        simulation.after(wait, rank: index) { [weak self] in
            guard let self, !self.isPaused, let process = self.process else { return }
            for link in process.links { link.resume() }
            self.wake()
        }
    }

    /// Lets the time of a database call pass. Now and then the process stands still in the call while other servers go
    /// on.
    private func spend(_ process: Process) throws {
        simulation.clock.now += Int64(random.number(0...simulation.plan.callMicroseconds))
        if random.once(in: simulation.faults.pauses) {
            let wait = random.number(10_000...3_000_000)
            simulation.trace("server \(index) stands still in a call for \(wait / 1_000) ms")
            simulation.clock.now += Int64(wait)
            for other in simulation.servers where !other.isInTurn && !other.isPaused {
                if let process = other.process { other.turn(process) }
            }
        } else {
            step(process)
        }
        if random.once(in: simulation.faults.fallsBack) { try simulation.fallBack(in: self) }
    }

    private func configuration(_ plan: SimulationPlan) -> LaneConfiguration {
        var configuration = LaneConfiguration()
        // The simulation decides when turns happen, so nothing may wait by the machine's clock.
        configuration.gatherMicroseconds = 0
        configuration.pageBytes = plan.pageBytes
        configuration.refoldLimit = plan.refoldLimit
        configuration.lookMilliseconds = plan.lookMilliseconds
        configuration.eventsPerStatement = random.element([3, 4_000])
        configuration.eventsPerLock = configuration.eventsPerStatement == 3 ? 2 : 256
        configuration.workPerUser = random.element([400, 20_000])
        configuration.cacheBytes = plan.cacheBytes
        configuration.projectionMilliseconds = Int64(random.element([50, 800]))
        configuration.pauseMilliseconds = Int64(random.element([20, 100, 1_000]))
        configuration.checkpointMilliseconds = Int64(random.element([100, 1_000]))
        if plan.brokenEvents > 0 { configuration.quarantineMilliseconds = random.element([300, 2_000]) }
        if let bound = plan.projectionBounds {
            configuration.usersPerProjection = bound
            configuration.rowsPerProjection = bound
            configuration.loadsPerProjection = bound
        }
        return configuration
    }

    private func store(_ lane: Int, _ process: Process) -> SimulatedStore {
        let dice = SeededGenerator(seed: simulation.seed, of: "store", index * 1_000_000 + lane * 10_000 + lives)
        let simulation = simulation
        let store = SimulatedStore(simulation.log, dice, isPooled: simulation.plan.isPooled) { [unowned simulation] in
            simulation.faults
        }
        store.time = { [unowned simulation] in simulation.clock.wall() }
        store.lateLimit = simulation.plan.lateLimit
        store.willCall = { [weak self, weak process] in
            guard let self, let process else { return }
            try self.spend(process)
            self.letAnotherIn()
        }
        store.didPlaceLoads = { [weak self] in
            guard let self, random.once(in: simulation.faults.fallsBackAfterLoads) else { return }
            try simulation.fallBack(in: self)
        }
        store.didSee = { [weak process, unowned simulation] in process?.sees($0, $1, simulation) }
        return store
    }

    private func projector(_ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedProjector {
        SimulatedProjector(
            write: { [unowned self, weak process] batch, done in
                judge(batch)
                let (fails, wait) = (random.once(in: simulation.faults.projectionFails), random.number(1_000...200_000))
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    done(fails ? .failed : self.written(batch))
                    self.wake()
                }
            },
            report: { mailbox.post(.projected($0, $1)) })
    }

    /// A load takes a while before it sees the log, and a while after that. Nobody gives the answer up: what it saw may
    /// be gone when it comes.
    private func loader(_ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedLoader {
        SimulatedLoader(
            ask: { [unowned self, weak process] question in
                let fails = random.once(in: simulation.faults.readFails)
                let longest = random.once(in: 8) ? 500_000 : 5_000
                let (before, after) = (random.number(50...longest), random.number(50...longest))
                simulation.after(before, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    let loaded = load(question.users)
                    let seen = loaded.values.compactMap { try? $0.get() }
                        .map { ($0.state.user, $0.state.version, self.simulation.history) }
                    let answer = LoadAnswer(
                        number: question.number, loaded: fails ? .failure(SimulatedLog.OutOfMemory()) : .success(loaded)
                    )
                    simulation.after(after, rank: index) { [weak self, weak process] in
                        guard let self, let process, self.process === process else { return }
                        if !fails { process.loads += seen }
                        mailbox.post(.loaded(answer))
                        wake()
                    }
                }
            },
            askAudiences: { [unowned self, weak process] question in
                let (fails, wait) = (random.once(in: simulation.faults.readFails), random.number(50...50_000))
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    let found = simulation.log.audiences(question.entries)
                    let answer = AudienceAnswer(
                        number: question.number, found: fails ? .failure(SimulatedLog.OutOfMemory()) : .success(found))
                    simulation.after(wait, rank: index) { [weak self, weak process] in
                        guard let self, let process, self.process === process else { return }
                        mailbox.post(.audiencesFound(answer))
                        wake()
                    }
                }
            })
    }

    private func load(_ users: [(Partition, UserID)]) -> [UserID: Result<LoadedUser, any Error>] {
        Dictionary(
            uniqueKeysWithValues: users.map { partition, user in
                (user, Result { try simulation.log.load(user, partition) })
            })
    }

    private func placeFinder(_ mailbox: Mailbox<LaneRequest>, _ process: Process) -> SimulatedPlaceFinder {
        SimulatedPlaceFinder(
            ask: { [unowned self, weak process] question, done in
                let (fails, wait) = (random.once(in: simulation.faults.readFails), random.number(100...200_000))
                simulation.after(wait, rank: index) { [weak self, weak process] in
                    guard let self, let process, self.process === process else { return }
                    done(fails ? nil : simulation.log.places(question))
                    wake()
                }
            },
            report: { mailbox.post(.placesFound(session: $0, $1)) })
    }

    /// Checks the bounds of a batch; the rows of its last user may exceed them.
    private func judge(_ batch: ProjectionBatch) {
        guard let bound = simulation.plan.projectionBounds else { return }
        let others = batch.users.dropLast().reduce(0) { $0 + $1.rows.count }
        if batch.users.count > bound || others >= bound {
            simulation.witness.fail(
                "a batch of \(batch.users.count) users and over \(others) rows, where \(bound) are allowed")
        }
    }

    private func written(_ batch: ProjectionBatch) -> ProjectionResult {
        switch simulation.log.write(batch) {
        case .written(let missing, let checkpoint): .written(missing: missing, checkpoint: checkpoint)
        case .checkpointRegressed: .checkpointRegressed
        case .busy, .otherGeneration, .otherLog: .failed
        case .refused: .refused
        }
    }

    /// Writes the server's log to the trace.
    private var logger: Logger {
        guard simulation.isTraced else { return Self.silent }
        nonisolated(unsafe) unowned let simulation = simulation
        let index = index
        var logger = Logger(label: "simulation") { _ in
            TracedLog { event in
                simulation.trace("server \(index) says: \(event.message) \(event.metadata ?? [:])")
            }
        }
        logger.logLevel = .info
        return logger
    }

    private static let silent: Logger = {
        var logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return logger
    }()

    // MARK: Turns

    /// Something waits: the lanes take it up soon.
    func wake() { turn(in: random.number(10...2_000)) }

    private func turn(in wait: Int) {
        guard let process, simulation.clock.now + Int64(wait) < process.nextTurn else { return }
        process.nextTurn = simulation.clock.now + Int64(wait)
        let at = process.nextTurn
        simulation.after(wait, rank: index) { [weak self, weak process] in
            guard let self, let process, self.process === process, process.nextTurn == at else { return }
            process.nextTurn = .max
            guard !self.isPaused else { return self.turn(in: Int(self.pausedUntil - self.simulation.clock.now)) }
            self.turn(process)
        }
    }

    /// While this server waits for the database, another one may have a whole turn.
    private func letAnotherIn() {
        guard random.once(in: simulation.plan.interleaves) else { return }
        let others = simulation.servers.filter { !$0.isInTurn && !$0.isPaused && $0.process != nil }
        guard !others.isEmpty else { return }
        let other = random.element(others)
        guard let process = other.process else { return }
        simulation.trace("server \(other.index) has a turn while server \(index) waits for the log")
        other.turn(process)
    }

    private func turn(_ process: Process) {
        isInTurn = true
        defer { isInTurn = false }
        for lane in process.workers.indices {
            let worker = process.workers[lane]
            do {
                try worker.turn(taking: worker.mailbox.receive(until: .passed))
            } catch is StoreStopped {
                return die()
            } catch {
                simulation.trace("server \(index), lane \(lane): \(error)")
                worker.recover(from: error)
            }
        }
        process.seesLoads(simulation)
        step(process)
        process.staleTurns = max(0, process.staleTurns - 1)
        // A lane goes round at once while frames wait for a statement.
        let hasFrames = process.workers.contains { !$0.appends.isEmpty }
        turn(in: random.number(hasFrames ? 10...2_000 : 100_000...250_000))
    }

    /// Advances the event loop to the present: deliveries and timers run.
    private func step(_ process: Process) {
        process.loop.advanceTime(to: .uptimeNanoseconds(UInt64(simulation.clock.now) * 1_000))
    }

    // MARK: Links

    /// Opens the server's end of a new connection.
    func accept(_ link: SimulatedLink, _ socket: SocketHandler, jitter: Double) -> EmbeddedChannel? {
        guard let process else { return nil }
        process.links.removeAll(where: \.isOver)
        step(process)
        let id = process.services.connections.makeID()
        let handler = SessionHandler(id: id, services: process.services, name: "\(id)", jitter: jitter)
        let channel = EmbeddedChannel(handlers: [socket, handler], loop: process.loop)
        guard let address = try? SocketAddress(ipAddress: "127.0.0.1", port: 1) else { return nil }
        channel.connect(to: address, promise: nil)
        process.links.append(link)
        process.channels.removeAll { !$0.isActive }
        process.channels.append(channel)
        return channel
    }

    /// Runs `body` for a connection of this life of the server, unless the server has died or stands still.
    func perform(_ life: Process?, _ body: () -> Void) {
        guard let life, life === process, !isPaused else { return }
        step(life)
        body()
        step(life)
        wake()
    }
}

private struct TracedLog: LogHandler {
    let tell: @Sendable (LogEvent) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info
    init(tell: @escaping @Sendable (LogEvent) -> Void) { self.tell = tell }
    func log(event: LogEvent) { tell(event) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

/// Simulated devices ask for no routes.
private final class NoFetcher: LaneFetcher {
    func start() {}
    func post(_ work: FetchWork) { preconditionFailure("no device of the simulation fetches") }
    func stop() {}
}
