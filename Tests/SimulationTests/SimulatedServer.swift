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
/// it. `SimulatedLink` replaces TCP, `SimulatedConnection` PostgreSQL, and the simulation's turns replace threads. When
/// the server dies, what it kept in memory is lost.
final class SimulatedServer {
    private static let noDatabase = StoreConfiguration(PostgresConfiguration(conninfo: ""))
    let index: Int
    private(set) var process: Process?
    unowned let simulation: Simulation
    var random: SeededGenerator
    /// The wall clock's error in microseconds; it changes in steps, within about one and a half seconds of the true
    /// time.
    private var clockOffset: Int64
    private var clockRandom: SeededGenerator
    /// Until this moment the process stands still.
    private(set) var pausedUntil: Int64 = 0
    private var pauses: [Range<Int64>] = []
    private(set) var lives = 0
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
        let laneConfiguration = configuration(plan)
        let context = LaneContext(
            log: simulation.log.identity, format: format, store: Self.noDatabase,
            configuration: laneConfiguration, clock: clock, databaseTime: time, budget: budget, hints: hints,
            faults: faults, freshness: Freshness(lanes: plan.lanesPerServer), loads: simulation.loads, logger: logger,
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
        let waits = WaitingAppends(simulation)
        let new = Process(
            loop, services, waits, bornIn: simulation.history, foldVersion: simulation.rebuilder.foldVersion)
        new.workers = lanes.lanes.indices.map { lane in
            LaneWorker(
                context: context, index: lane, partitions: lanes.partitions(of: lane),
                mailbox: lanes.lanes[lane].mailbox, store: store(lane, new).makeStore(),
                services: LaneServices(
                    projector: projector(lane, lanes.lanes[lane].mailbox, new),
                    loader: loader(lane, lanes.lanes[lane].mailbox, new), fetcher: NoFetcher(),
                    placeFinder: placeFinder(lane, lanes.lanes[lane].mailbox, new),
                    folder: folder(lanes.lanes[lane].mailbox, new)))
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

    /// Whether it lives, and writes rows of the user before they change again: it believes the read model to lack
    /// events of theirs, or has yet to hear of events.
    func hasToWrite(_ user: UserID) -> Bool {
        let head = simulation.log.head(simulation.log.identity.partition(of: user))
        return process?.workers.contains { worker in
            guard let known = worker.log.tails.heads[head.partition] else { return false }
            return known.nextOffset < head.nextOffset || worker.users.backlog.isBehind(user, in: head.partition)
        } ?? false
    }

    func end() {
        guard let process else { return }
        self.process = nil
        pausedUntil = 0
        for link in process.links { link.serverDied() }
        for worker in process.workers {
            worker.deliveries.removeAll()
            worker.log.whileWaiting {}
            worker.log.close()
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

    /// For how many microseconds the process has stood still since this moment.
    func stoodStill(since time: Int64) -> Int64 {
        pauses.reduce(0) { $0 + Int64($1.clamped(to: time..<max(time, simulation.clock.now)).count) }
    }

    /// - Parameter wait: microseconds.
    func pause(for wait: Int) {
        guard process != nil else { return }
        simulation.trace("server \(index) stands still for \(wait / 1_000) ms")
        let now = simulation.clock.now
        record(max(now, pausedUntil)..<max(now + Int64(wait), pausedUntil))
        pausedUntil = max(pausedUntil, now + Int64(wait))
        simulation.after(wait, rank: index) { [weak self] in
            guard let self, !self.isPaused, let process = self.process else { return }
            for link in process.links { link.resume() }
            self.wake()
        }
    }

    /// Records that the process stands still for so long.
    private func record(_ pause: Range<Int64>) {
        // Turns are played one within the other: who is in one may have to wait until this server's goes on.
        for server in simulation.servers where server === self || isInTurn && server.isInTurn {
            server.pauses.append(pause)
        }
    }

    /// Lets the time of a database call pass. Now and then the process stands still in the call while other servers go
    /// on.
    func spend(_ process: Process) throws {
        simulation.clock.now += Int64(random.number(0...simulation.plan.callMicroseconds))
        if random.once(in: simulation.faults.pauses) {
            let wait = random.number(10_000...3_000_000)
            simulation.trace("server \(index) stands still in a call for \(wait / 1_000) ms")
            record(simulation.clock.now..<simulation.clock.now + Int64(wait))
            simulation.clock.now += Int64(wait)
            for other in simulation.servers where !other.isInTurn && !other.isPaused {
                if let process = other.process { other.turn(process) }
            }
        } else {
            step(process)
        }
        if random.once(in: simulation.faults.fallsBack) { try simulation.fallBack(in: self) }
    }

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
            guard !self.isInTurn else {
                process.isTurnDue = true
                return
            }
            guard !self.isPaused else { return self.turn(in: Int(self.pausedUntil - self.simulation.clock.now)) }
            self.turn(process)
        }
    }

    /// While this server waits for the database, another one may have a whole turn.
    func letAnotherIn() {
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
        defer {
            isInTurn = false
            if let process = self.process, process.isTurnDue { turn(in: random.number(10...2_000)) }
        }
        process.isTurnDue = false
        judgeQueues(process)
        let loads = process.loads
        process.loads = []
        for (lane, worker) in process.workers.enumerated() {
            do {
                try worker.turn(taking: worker.mailbox.receive(until: .passed))
            } catch is StoreStopped {
                return self.process === process ? die() : ()
            } catch {
                simulation.trace("server \(index), lane \(lane): \(error)")
                if self.process === process { worker.recover(from: error) }
            }
            guard self.process === process else { return }
        }
        process.sees(loads + process.news, simulation)
        process.news = []
        process.accepted = 0
        step(process)
        process.staleTurns = max(0, process.staleTurns - 1)
        // A lane goes round at once while frames wait for a statement.
        let hasFrames = process.workers.contains { !$0.appends.isEmpty }
        turn(in: random.number(hasFrames ? 10...2_000 : 100_000...250_000))
    }

    /// Advances the event loop to the present: deliveries and timers run.
    func step(_ process: Process) {
        process.loop.advanceTime(to: .uptimeNanoseconds(UInt64(simulation.clock.now) * 1_000))
    }

    /// What waits is bounded by the connections that there are, whatever happens.
    private func judgeQueues(_ process: Process) {
        let connections = process.links.count + process.accepted
        for worker in process.workers {
            let waiting = worker.mailbox.count + worker.deferred.count
            if waiting > simulation.bounds.requests(connections) {
                simulation.witness.fail("\(waiting) requests wait in a lane with \(connections) connections")
            }
        }
        let bytes = process.services.budget.used
        if bytes > simulation.bounds.inboundBytes(connections) {
            simulation.witness.fail("\(bytes) bytes of appends wait in a server with \(connections) connections")
        }
    }

    // MARK: Links

    /// An append has come from a device.
    func brought(_ request: AppendRequest, of user: UserID, on link: SimulatedLink) {
        guard let process else { return }
        let isLoaded = process.workers.contains { $0.users.resident[user] != nil }
        process.waits.brought(request, of: user, on: link, isLoaded: isLoaded)
    }

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
        process.accepted += 1
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
