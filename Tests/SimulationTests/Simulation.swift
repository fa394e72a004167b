import EventStore
import FocusCore
import FocusSyncClient
import PostgresClient

@testable import SyncServer

/// A world of servers, devices and a log, made from one seed; the same seed makes the same world.
///
/// Flow: `run` → devices act, faults happen → heal → wait until every device holds what the log says → `judge`.
///
/// A few times the log falls back to one of its commits (rule S6); either all servers die with it, or all live on. A
/// new `history` begins. What was said in the one before no longer counts, except for what devices know of it.
final class Simulation {
    let seed: UInt64
    let plan: SimulationPlan
    let clock = SimulatedClock()
    let witness: Witness
    /// Of all servers.
    let loads = LoadMeter()
    let receiptKey: ReceiptKey
    /// How often the log has lost its tail.
    private(set) var history = 0
    private var fellBackAt = Int64.min / 2
    let log: SimulatedLog
    let database: SimulatedDatabase
    let life: RandomLife
    let crowd: SimulatedCrowd
    private var rebuildRandom: SeededGenerator
    private(set) lazy var rebuilder = SimulatedRebuilder(self)
    private(set) var servers: [SimulatedServer] = []
    private(set) var devices: [SimulatedDevice] = []
    /// Copies of devices' stores that live, or lived, beside the devices.
    private(set) var clones: [SimulatedDevice] = []
    private(set) var isHealed = false
    private var agenda = Agenda()
    private var random: SeededGenerator
    private var partitions: Set<[Int]> = []
    private var links: [SimulatedLink] = []
    private var linkCount = 0
    /// A hash of everything that happened; equal for equal seeds.
    private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
    private let tracer: ((String) -> Void)?

    private var settledAt: Int64?
    let bounds: LivenessBounds

    /// - Parameters:
    ///   - change: overrides what the seed decided.
    ///   - trace: is called for everything that happens.
    init(
        seed: UInt64, usesSQLite: Bool = false, trace: ((String) -> Void)? = nil,
        change: (inout SimulationPlan) -> Void = { _ in }
    ) throws {
        self.seed = seed
        tracer = trace
        var random = SeededGenerator(seed: seed, of: "world")
        var plan = SimulationPlan(&random, usesSQLite: usesSQLite)
        var brokenRandom = SeededGenerator(seed: seed, of: "broken")
        if brokenRandom.once(in: 4) {
            (plan.brokenEvents, plan.mendsBroken) = (brokenRandom.number(1...20), brokenRandom.once(in: 2))
        }
        var rebuildRandom = SeededGenerator(seed: seed, of: "rebuilds")
        if rebuildRandom.once(in: 2) { plan.drawRebuilds(&rebuildRandom) }
        change(&plan)
        self.plan = plan
        witness = Witness(
            clock, callsFail: plan.faults.appendFails > 0 || plan.faults.readFails > 0,
            slowness: plan.faults.pauses > 0 || plan.faults.breaksConnections || plan.disasters > 0
                ? 4_000 : Int64(plan.callMicroseconds) / 50)
        receiptKey = ReceiptKey(secret: (0..<32).map { UInt8(truncatingIfNeeded: UInt64($0) ^ seed) })
        log = SimulatedLog(
            LogID(random.uuid()), partitions: plan.partitions,
            format: plan.raisesFormat ? 1 : EventStore.logFormats.upperBound, witness: witness)
        database = SimulatedDatabase(log, clock, seed: seed, isPooled: plan.isPooled)
        if let trace { log.trace = { [clock] in trace("\(clock.now / 1_000) ms: \($0)") } }
        witness.troubledAt = { [unowned database] in database.troubledAt }
        let users = (0..<plan.users).map { _ in UserID(random.uuid()) }
        crowd = SimulatedCrowd(plan, brokenRandom)
        log.broken = crowd.broken
        bounds = LivenessBounds(plan)
        log.standingLimit = bounds.standing
        log.judgesCheckpoints = !crowd.isEmpty || plan.projectionBounds != nil
        life = RandomLife(users: users, stranger: UserID(random.uuid()), hasNewTypes: !plan.raisesFormat)
        self.random = random
        self.rebuildRandom = rebuildRandom
        servers = (0..<plan.servers).map { SimulatedServer($0, self) }
        devices = try (0..<plan.devices).map { try SimulatedDevice($0, user: users[$0 % users.count], self) }
        for index in 0..<plan.scopes {
            let other = devices[index % plan.devices]
            devices.append(try SimulatedDevice(devices.count, user: other.user, beside: other, self))
        }
    }

    private func noteOldDevices() { witness.old = Set(devices.filter(\.isOld).map(\.id)) }

    var faults: SimulationPlan.Faults { isHealed ? SimulationPlan.Faults() : plan.faults }

    // MARK: Time

    func after(_ microseconds: Int, rank: Int, _ action: @escaping () -> Void) {
        agenda.add(at: clock.now + Int64(microseconds), rank: rank, action)
    }

    /// - Returns: what is wrong; nil if everything holds.
    func run() -> String? {
        do {
            try begin()
        } catch {
            return "the devices do not start: \(error)"
        }
        while witness.failure == nil, step() {
            if isHealed, devices.allSatisfy(isSettled), seesRight(), crowd.isProjected(log),
                plan.rebuilds == 0 || rebuilder.isSettled
            {
                break
            }
            guard !isOver else {
                let restless = devices.filter { !isSettled($0) }
                witness.fail(
                    "nothing is broken, and yet these do not come to rest: \(restless), \(log.lag) events to project")
                break
            }
        }
        if witness.failure == nil { judge() }
        for server in servers { server.end() }
        rebuilder.end()
        return witness.failure
    }

    /// Does what comes next.
    /// - Returns: false if nothing does.
    private func step() -> Bool {
        guard let next = agenda.take() else { return false }
        clock.now = max(clock.now, next.time)
        next.action()
        if clock.now >= plan.duration, !isHealed { heal() }
        return true
    }

    /// Whether a rule is broken, or everything should have come to rest by now. No server waits for anything then.
    var isOver: Bool {
        let carrying = 4 * Int64(min(witness.log.count, LivenessBounds.carriedEvents)) * Int64(plan.latency)
        return witness.failure != nil || clock.now >= plan.duration + LivenessBounds.patience + carrying
    }

    /// Has the world go on up to this time, while a server waits in the middle of a call.
    func goOn(until end: Int64) {
        while !isOver, let next = agenda.next, next <= end { _ = step() }
        clock.now = max(clock.now, end)
    }

    private func begin() throws {
        noteOldDevices()
        crowd.begin(self)
        for server in servers { server.start() }
        var known: Set<UserID> = []
        for device in devices {
            if device.scope == .system, known.insert(device.user).inserted {
                try device.append(
                    RandomLife.beginning.map { body, app in
                        EventDraft(body, app: app)
                    })
            }
            device.start()
            device.act()
        }
        for _ in 0..<plan.restores {
            after(random.number(0...Int(plan.duration)), rank: 51) { [unowned self] in fallBack() }
        }
        if plan.raisesFormat {
            after(random.number(0...Int(plan.duration)), rank: 52) { [unowned self] in
                trace("the format of the log is raised")
                log.raiseFormat()
            }
        }
        for _ in 0..<plan.rebuilds {
            after(rebuildRandom.number(0...Int(plan.duration)), rank: 58) { [unowned self] in rebuilder.act() }
        }
        for _ in 0..<plan.alters {
            after(rebuildRandom.number(0...Int(plan.duration)), rank: 58) { [unowned self] in alter() }
        }
        if plan.disasters > 0 { after(random.number(1...plan.disasters), rank: 50) { [unowned self] in disaster() } }
    }

    /// Has the read model show wrong rows. Most servers load them and devices get them, and a rebuild follows.
    private func alter() {
        guard !isHealed else { return }
        let counted = Set(devices.filter { $0.scope != .system }.map(\.user))
        // A server that has yet to write a user's rows would take back what is changed in them, and no notice would
        // name it to devices that got it from another server.
        let written = life.users.filter { user in !servers.contains { $0.hasToWrite(user) } }
        guard log.alter(&rebuildRandom, written, counted) else {
            return after(50_000, rank: 58) { [unowned self] in alter() }
        }
        for server in servers where !server.isInTurn && !rebuildRandom.once(in: 3) { server.die() }
        after(rebuildRandom.number(100_000...4_000_000), rank: 58) { [unowned self] in
            if !isHealed { rebuilder.act() }
        }
    }

    /// Whether all watching devices see the present statuses (rule V1). Fails if they do not within a few seconds after
    /// everything else has come to rest.
    private func seesRight() -> Bool {
        let wrong = devices.lazy.filter { [self] in $0.watches && !witness.isRevoked($0) }.compactMap {
            $0.wrongStatus()
        }
        guard let first = wrong.first else { return true }
        settledAt = settledAt ?? clock.now
        if clock.now - (settledAt ?? 0) > LivenessBounds.viewers { witness.fail("V1: \(first)") }
        return false
    }

    private func isSettled(_ device: SimulatedDevice) -> Bool {
        if witness.isRevoked(device) { return device.session?.isLive != true }
        // By then every server has noticed that the log fell back, and has closed older connections.
        guard clock.now - fellBackAt > LivenessBounds.noticing, device.link?.isQuiet == true else { return false }
        // The event tells histories apart. What a server has not seen of a lost history, its devices need not be told.
        guard let verified = device.verified else { return false }
        let end = witness.state(of: device.user).head(of: device.view(of: verified))
        return verified.version == end.version && verified.event == end.event
            && (try? device.storage.hasQueued) == false && (try? device.storage.isRecalling) == false
            && (try? device.storage.isHealing) == false
    }

    // MARK: Clones

    /// Starts a copy of the device's store beside the device, for a while.
    func clone(_ device: SimulatedDevice) throws {
        guard !device.isClone, clones.count < 4, !isHealed else { return }
        let clone = try SimulatedDevice(devices.count + clones.count, copyOf: device)
        trace("\(clone) is a copy of \(device)")
        device.record.shared()
        witness.copied(device)
        clones.append(clone)
        clone.start()
        clone.act()
        after(random.number(100_000...Int(plan.duration)), rank: 50) { [weak clone] in clone?.leaveForGood() }
    }

    /// All devices with this id, present and past: sessions of other scopes, and copies.
    func stores(of id: DeviceID) -> [SimulatedDevice] { (devices + clones).filter { $0.id == id } }

    // MARK: Network

    func makeLink(_ device: SimulatedDevice, _ server: SimulatedServer) -> SimulatedLink {
        links.removeAll(where: \.isOver)
        linkCount += 1
        let link = SimulatedLink(linkCount, device, server, self)
        links.append(link)
        return link
    }

    func isPartitioned(_ device: Int, _ server: Int) -> Bool { partitions.contains([device, server]) }

    // MARK: Disasters

    private func disaster() {
        guard !isHealed else { return }
        switch random.element(plan.disasterKinds) {
        case .death: servers[random.number(0..<servers.count)].die()
        case .partition:
            let pair = [random.number(0..<devices.count), random.number(0..<servers.count)]
            trace("partition of device \(pair[0]) and server \(pair[1])")
            partitions.insert(pair)
            after(random.number(10_000...8_000_000), rank: 50) { [unowned self] in partitions.remove(pair) }
        case .cut: if !links.isEmpty { links[random.number(0..<links.count)].cut() }
        case .silence: if !links.isEmpty { links[random.number(0..<links.count)].fallSilent() }
        case .lostProjections:
            trace("PostgreSQL crashes, and projections are lost")
            database.crash()
            log.loseProjections()
        case .flush: log.flush()
        case .pause: servers[random.number(0..<servers.count)].pause(for: random.number(10_000...6_000_000))
        case .failover:
            trace("a standby takes over")
            database.demote(in: history)
            log.failOver()
        }
        after(random.number(1...plan.disasters), rank: 50) { [unowned self] in disaster() }
    }

    /// The log falls back during a call of this server.
    func fallBack(in server: SimulatedServer) throws {
        guard history < 2 else { return }
        if fallBack(sparing: server) == false { throw StoreStopped() }
    }

    /// Resets the database to any commit, as a restore from a backup or a failover to a lagging standby does.
    /// - Parameter asking: a server in the middle of a call, which ends by itself if the servers die.
    /// - Returns: whether the servers live on; nil if nothing happened.
    @discardableResult
    private func fallBack(sparing asking: SimulatedServer? = nil) -> Bool? {
        guard !isHealed else { return nil }
        // A generator of its own, because the fall may happen at any call and must not shift other random numbers.
        var dice = SeededGenerator(seed: seed, of: "restore", history)
        let areSpared = dice.once(in: 2) || servers.contains { $0.isInTurn && $0 !== asking }
        if !areSpared { for server in servers where !server.isInTurn { server.die() } }
        // In half of the cases only a few commits are lost.
        let lost = dice.once(in: 2) ? dice.number(1...10) : dice.number(1...max(1, log.commits))
        database.demote(in: history)
        let whole = log.restore(to: max(0, log.commits - lost))
        history += 1
        for server in servers { server.logFell() }
        fellBackAt = clock.now
        if areSpared {
            for server in servers { server.forgetHistory() }
            for link in links { link.survive(whole) }
        }
        trace("the log falls back by \(lost) commits: history \(history)")
        return areSpared
    }

    private func heal() {
        trace("healed")
        isHealed = true
        partitions = []
        for device in devices + clones { device.heal() }
        log.raiseFormat()
        if plan.mendsBroken { log.broken = [] }
        if plan.rebuilds > 0 {
            for server in servers where server.process.map({ $0.foldVersion != rebuilder.foldVersion }) ?? false {
                server.die()
            }
            after(rebuildRandom.number(1...10_000_000), rank: 58) { [unowned self] in rebuilder.heal() }
        }
        after(8_000_000, rank: 53) { [unowned self] in for device in devices { device.meetNewServers() } }
    }

    // MARK: Trace

    var isTraced: Bool { tracer != nil }

    func trace(_ text: @autoclosure () -> String) { tracer?("\(clock.now / 1_000) ms: \(text())") }

    func note(_ numbers: Int...) {
        for number in numbers + [Int(clock.now)] {
            fingerprint = (fingerprint ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3
        }
    }
}
