import EventStore
import FocusCore
import FocusSyncClient

/// A world of servers, devices and a log, made of one seed; the same seed makes the same world.
///
/// Flow: `run` → devices act, things break → heal → until every device holds what the log says → `judge`.
///
/// Places kept for what comes later: a restore of the server from an older backup (rule S6) is one more disaster, beside
/// `loseProjections`, with `Witness` forgetting what it lacks; viewers (rules V1–V4) are one more kind of
/// `SimulatedDevice`, whose frames `Witness.saw` judges by the audience at each version of the watched user.
final class Simulation {
    let seed: UInt64
    let plan: SimulationPlan
    let clock = SimulatedClock()
    let witness = Witness()
    let log: SimulatedLog
    let life: RandomLife
    private(set) var servers: [SimulatedServer] = []
    private(set) var devices: [SimulatedDevice] = []
    private(set) var isHealed = false
    private var agenda = Agenda()
    private var random: SeededGenerator
    private var partitions: Set<[Int]> = []
    private var links: [SimulatedLink] = []
    private var linkCount = 0
    /// Of everything that happened: equal for equal seeds.
    private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325
    private let tracer: ((String) -> Void)?

    /// Simulated microseconds after which everything must have come to rest, once nothing is broken any more.
    private static let patience: Int64 = 90_000_000

    /// - Parameters:
    ///   - change: what a test wants otherwise than the seed.
    ///   - trace: is told what happens.
    init(
        seed: UInt64, usesSQLite: Bool = false, trace: ((String) -> Void)? = nil,
        change: (inout SimulationPlan) -> Void = { _ in }
    ) throws {
        self.seed = seed
        tracer = trace
        var random = SeededGenerator(seed: seed, of: "world")
        var plan = SimulationPlan(&random, usesSQLite: usesSQLite)
        change(&plan)
        self.plan = plan
        log = SimulatedLog(LogID(random.uuid()), partitions: plan.partitions, witness: witness)
        let users = (0..<plan.users).map { _ in UserID(random.uuid()) }
        life = RandomLife(users: users)
        self.random = random
        servers = (0..<plan.servers).map { SimulatedServer($0, self) }
        devices = try (0..<plan.devices).map { try SimulatedDevice($0, user: users[$0 % users.count], self) }
    }

    var faults: SimulationPlan.Faults { isHealed ? SimulationPlan.Faults() : plan.faults }

    // MARK: Time

    func after(_ microseconds: Int, rank: Int, _ action: @escaping () -> Void) {
        agenda.add(at: clock.now + Int64(microseconds), rank: rank, action)
    }

    /// - Returns: what is wrong; nil when everything holds.
    func run() -> String? {
        do {
            try begin()
        } catch {
            return "the devices do not start: \(error)"
        }
        while witness.failure == nil, let next = agenda.take() {
            clock.now = max(clock.now, next.time)
            next.action()
            if clock.now >= plan.duration, !isHealed { heal() }
            if isHealed, devices.allSatisfy(isSettled) { break }
            guard clock.now < plan.duration + Self.patience else {
                let restless = devices.filter { !isSettled($0) }
                witness.fail("nothing is broken, and yet these do not come to rest: \(restless)")
                break
            }
        }
        if witness.failure == nil { judge() }
        return witness.failure
    }

    private func begin() throws {
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
        if plan.disasters > 0 { after(random.number(1...plan.disasters), rank: 50) { [unowned self] in disaster() } }
    }

    private func isSettled(_ device: SimulatedDevice) -> Bool {
        device.verified == witness.version(of: device.user) && (try? device.storage.queueRange.isEmpty) == true
    }

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
        switch random.number(0..<7) {
        case 0: servers[random.number(0..<servers.count)].die()
        case 1, 2:
            let pair = [random.number(0..<devices.count), random.number(0..<servers.count)]
            trace("partition of device \(pair[0]) and server \(pair[1])")
            partitions.insert(pair)
            after(random.number(10_000...8_000_000), rank: 50) { [unowned self] in partitions.remove(pair) }
        case 3: if !links.isEmpty { links[random.number(0..<links.count)].cut() }
        case 4: if !links.isEmpty { links[random.number(0..<links.count)].fallSilent() }
        case 5:
            trace("projections are lost")
            log.loseProjections()
        default: log.flush()
        }
        after(random.number(1...plan.disasters), rank: 50) { [unowned self] in disaster() }
    }

    private func heal() {
        trace("healed")
        isHealed = true
        partitions = []
        for device in devices { device.heal() }
    }

    // MARK: Trace

    func trace(_ text: @autoclosure () -> String) { tracer?("\(clock.now / 1_000) ms: \(text())") }

    func note(_ numbers: Int...) {
        for number in numbers + [Int(clock.now)] {
            fingerprint = (fingerprint ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3
        }
    }
}
