import FocusCore
import FocusWire
import SyncServer

@testable import FocusSyncClient

/// A device: the real `ClientSession` and store, driven as `SyncClient` drives them, and its user's actions.
final class SimulatedDevice: CustomStringConvertible {
    /// The process died in the middle of an action.
    struct Died: Error {}

    let index: Int
    let user: UserID
    let id: DeviceID
    let scope: Scope
    let deviceClass: DeviceClass
    let collections: [RowCollection]
    unowned let simulation: Simulation
    let storage: any DeviceStorage
    var random: SeededGenerator
    private let clockOffset: Int64
    var time = DeviceTime()
    private(set) var helloSentAt = Duration.zero
    /// The device runs on a copy of another one's store, beside that one and for a while.
    let isClone: Bool
    /// The library is older than rule P10: it appends everything again in a new incarnation.
    let isOld: Bool
    /// Until this moment, in microseconds, the library speaks protocol 1.
    private let updatedAt: Int64

    var session: ClientSession?
    var link: SimulatedLink?
    private var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
    private var backoff = ReconnectBackoff(ceiling: 20...2_000)
    private var tickAt = Int64.max
    var ending: ClientEnd?
    private var connectNumber = 0
    var isSlow = false
    var isOffline = false
    var isGone = false
    private var token = ""
    var actions = 0

    // The users that the device watches (rule V1).
    let watches: Bool
    var watched: Set<UserID> = []
    var book = PeerBook()

    // The simulation's own knowledge of the device.
    var record = DeviceHistory()
    /// The cursor at which a checkpoint confirmed the rows; nil if something has arrived since.
    var verified: Cursor?
    /// A resync brought rows that are newer than the cursor.
    var isAhead = false
    /// The cursor at which digests were last compared.
    var compared: Cursor?
    /// The first comparison on a connection recomputes the digests from the rows.
    var hasCompared = false

    /// - Parameter other: the device on which this is the session of another scope.
    init(_ index: Int, user: UserID, beside other: SimulatedDevice? = nil, _ simulation: Simulation) throws {
        self.index = index
        self.user = user
        self.simulation = simulation
        var random = SeededGenerator(seed: simulation.seed, of: "device", index)
        let drawn = DeviceID(random.uuid())
        id = other?.id ?? drawn
        let scopes = [.system, .system, .system] + RandomLife.apps.map { Scope.app($0) }
        scope = random.element(scopes.filter { $0 != other?.scope })
        deviceClass = other?.deviceClass ?? random.element([.phone, .phone, .watch, .desktop])
        let all = RowCollection.allCases.filter(\.isPublic).sorted()
        collections = random.once(in: 4) ? all.filter { _ in random.once(in: 2) } : []
        // The device's clock is mostly within the skew that rule E4 allows.
        clockOffset = Int64(random.number(-400...400)) * (random.once(in: 4) ? 1_000_000 : 1_000)
        let incarnation = Incarnation(Int64(random.number(1...1_000_000)))
        let owner = DeviceOwner(user: user, device: id, scope: scope)
        storage =
            simulation.plan.usesSQLite ? try StoredDevice(owner, incarnation) : MemoryStore(owner, incarnation)
        watches = simulation.plan.watches && random.once(in: 2)
        if watches { watched = [random.element(simulation.life.users), simulation.life.stranger] }
        isClone = false
        isOld = random.once(in: simulation.plan.oldDevices)
        updatedAt =
            random.once(in: simulation.plan.updates) ? Int64(random.number(0...Int(simulation.plan.duration))) : 0
        self.random = random
    }

    /// A device that starts from a copy of another one's store.
    init(_ index: Int, copyOf other: SimulatedDevice) throws {
        self.index = index
        simulation = other.simulation
        (user, id, scope, deviceClass) = (other.user, other.id, other.scope, other.deviceClass)
        (collections, isOld, updatedAt) = (other.collections, other.isOld, other.updatedAt)
        (isClone, watches) = (true, false)
        var random = SeededGenerator(seed: simulation.seed, of: "device", index)
        clockOffset = Int64(random.number(-400...400)) * 1_000
        storage = try other.storage.copy()
        record = other.record
        record.copied()
        self.random = random
    }

    /// The history of the log that the connection belongs to.
    var history: Int { link?.history ?? simulation.history }
    /// The last history that the connection may belong to.
    var latestHistory: Int { link?.latestHistory ?? simulation.history }

    var description: String { isClone ? "clone \(index)" : "device \(index)" }
    var view: View {
        View(
            scope: scope, device: id, deviceClass: deviceClass, isClassProven: false,
            collections: collections.isEmpty ? nil : Set(collections))
    }

    /// The view that a cursor is of: before the log's format is raised an app's sessions do not keep to rule Z1.
    func view(of cursor: Cursor) -> View { cursor.view == view.silenced.hash ? view.silenced : view }

    var clock: Timestamp { simulation.clock.wall(ahead: clockOffset) }
    var uptime: Duration { .microseconds(simulation.clock.now) }
    var incarnation: Incarnation { (try? storage.incarnation) ?? Incarnation(0) }
    /// The last acknowledged sequence of the present incarnation.
    var highestAcknowledged: DeviceSequence { (try? storage.queueRange.acknowledged) ?? .zero }
    var rank: Int { 100 + index }

    // MARK: Connections

    func start() { connect(in: random.number(0...300_000)) }

    /// Connects later; replaces an earlier plan to connect.
    /// - Parameter wait: microseconds.
    func connect(in wait: Int) {
        connectNumber += 1
        let number = connectNumber
        simulation.after(wait, rank: rank) { [weak self] in
            guard let self, number == self.connectNumber, !self.isOffline, self.link == nil else { return }
            self.connect()
        }
    }

    private func connect() {
        let server = random.element(simulation.servers)
        guard server.process != nil, !simulation.isPartitioned(index, server.index) else {
            return connect(in: Int(backoff.next(within: nil, using: &random)) * 1_000 + 1)
        }
        do {
            if token.isEmpty || random.once(in: 4) { newToken() }
            let hello = Hello(
                minimumProtocol: FocusSyncClient.protocolVersions.lowerBound,
                maximumProtocol: protocolVersion, token: token, deviceClass: deviceClass,
                incarnation: try storage.incarnation, cursor: try storage.cursor, collections: collections)
            session = ClientSession(
                hello: hello, queue: try storage.queueRange, answered: try storage.lastAnswered,
                isHealing: try storage.isHealing, isRecalling: try storage.isRecalling,
                ended: try storage.endedIncarnations)
        } catch {
            return simulation.witness.fail("\(self) cannot read its store: \(error)")
        }
        simulation.trace("\(self) connects to server \(server.index)")
        splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
        (ending, hasCompared, verified) = (nil, false, nil)
        link = simulation.makeLink(self, server)
        helloSentAt = uptime
        perform { $0.connected(now: simulation.clock.monotonic) }
    }

    private var protocolVersion: UInt32 {
        let isNew = !isOld && (simulation.isHealed || simulation.clock.now >= updatedAt)
        return isNew ? FocusSyncClient.protocolVersions.upperBound : 1
    }

    func newToken() {
        // Now and then a token that has already expired.
        let seconds = simulation.isHealed ? 3_600 : random.once(in: 20) ? -5 : random.number(4...60)
        token = SimulatedTokens.token(
            Identity(
                user: user, device: id, scope: scope,
                expiresAt: simulation.clock.wall(ahead: Int64(seconds) * 1_000_000)))
    }

    func renewToken() {
        guard !random.once(in: 4), let link else { return }
        simulation.after(random.number(1_000...4_000_000), rank: rank) { [weak self] in
            guard let self, self.link === link else { return }
            self.newToken()
            self.perform { $0.renew(self.token) }
        }
    }

    /// Bytes from the server.
    func receive(_ bytes: [UInt8], _ link: SimulatedLink) {
        guard link === self.link else { return }
        splitter.feed(bytes)
        do {
            while link === self.link, let frame = try splitter.next() {
                let message = try FrameCodec.decodeServer(frame)
                simulation.note(index, frame.count)
                let writtenAt = link.heard(frame.count + FrameSplitter.prefixBytes)
                record.saw(message, link.history...link.latestHistory, simulation.witness, self)
                // Messages from before the log lost its tail may still be under way.
                if link.history == simulation.history { simulation.witness.saw(message, self, writtenAt: writtenAt) }
                simulation.trace("\(self) hears \("\(message)".replacing("FocusCore.", with: "").prefix(300))")
                if case .ping(let nonce) = message { link.send(FrameCodec.frame(ClientMessage.pong(nonce))) }
                perform { $0.receive(message, now: simulation.clock.monotonic) }
            }
        } catch {
            simulation.witness.fail("W4: \(self) gets a frame that does not decode: \(error)")
        }
    }

    /// The server closed the connection, or it broke.
    func lost(_ link: SimulatedLink) {
        guard link === self.link else { return }
        perform { $0.disconnected() }
    }

    /// All servers know Recall by now. Ends a connection that began before that, as every connection ends at some time.
    func meetNewServers() {
        if session?.waitsForRecall != nil, let link { lost(link) }
    }

    /// Reacts to the end of a connection as `SyncClient.run` does.
    func end(_ end: ClientEnd) {
        let histories = history...latestHistory
        link?.closeByDevice(losing: random.once(in: 3))
        (link, session, ending, verified) = (nil, nil, nil, nil)
        switch end {
        case .reconnect(let bounds, _):
            connect(in: Int(backoff.next(within: bounds, using: &random)) * 1_000 + 1)
        case .failed(let error) where error.code == .revoked && simulation.witness.wasRevoked(self, in: histories):
            // A revoked device keeps trying, as its holder might.
            newToken()
            connect(in: 1_000_000)
        case .tokenRefused(_, let bounds):
            newToken()
            connect(in: Int(bounds?.lowerBound ?? 0) * 1_000 + 1)
        case .failed(let error) where error.code == .superseded:
            // The client gives up; the user starts the app again.
            connect(in: 1_000_000)
        case .failed(let error): simulation.witness.fail("\(self) is refused: \(error)")
        }
    }

    func succeeded() { backoff.succeeded() }

    func scheduleTick() {
        guard let deadline = session?.deadline, deadline.milliseconds < Int64.max / 2_000 else { return }
        let at = max(simulation.clock.now + 1, deadline.milliseconds * 1_000)
        guard at < tickAt else { return }
        tickAt = at
        simulation.after(Int(at - simulation.clock.now), rank: rank) { [weak self] in
            guard let self, self.tickAt == at else { return }
            self.tickAt = .max
            self.perform { $0.tick(now: self.simulation.clock.monotonic) }
        }
    }

    // MARK: Accidents

    /// The process dies: what was not committed is gone, and so is the connection.
    func die() {
        simulation.trace("\(self) dies")
        leave(losing: true)
        time = DeviceTime()
        do {
            try storage.crash()
        } catch {
            simulation.witness.fail("\(self): the store does not open again: \(error)")
        }
        if !isGone { connect(in: random.number(1_000...2_000_000)) }
    }

    func leave(losing: Bool) {
        link?.closeByDevice(losing: losing)
        (link, session, ending, verified) = (nil, nil, nil, nil)
    }

    func restore() throws {
        guard record.backupCount > 0 else { return }
        let number = random.once(in: 2) ? record.backupCount - 1 : random.number(0..<record.backupCount)
        simulation.trace("\(self) is restored from backup \(number)")
        leave(losing: true)
        try storage.restore(number)
        record.restored(number)
        simulation.witness.restored(self)
        isAhead = false
        connect(in: random.number(1_000...500_000))
    }
}

extension ClientSession {
    /// Whether Welcome has arrived and the session has not ended.
    var isLive: Bool { state == .live }
}
