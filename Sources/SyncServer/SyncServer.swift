import EventStore
import FocusCore
import Glibc
import Listeners
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Tokens
import Waits

/// The sync server: devices append over TCP, the log keeps what they append, and every device gets what it may know.
///
/// Flow: listener → `SessionHandler` (frames, `Session`) → `Lane` (validate, fold, append) → PostgreSQL, and back.
public final class SyncServer: Service {
    /// How many lanes share the partitions. One alone would wait for its own commits; more than two made no difference
    /// on two cores (ops/BENCHMARKS.md, append-single).
    private static let laneCount = 2

    /// How long `stop` waits for statements under way before it interrupts them. With the three seconds that a device
    /// has for its GoAway this stays within the ten of rule G1.
    private static let drainSeconds = 4.0

    let configuration: SyncServerConfiguration
    private let interruption = StoreInterruption()
    let context: LaneContext
    let lanes: Lanes
    private let hints: HeadHints
    let primary: PrimaryHeartbeat
    let liveness: Liveness
    /// Faults that tests put in force.
    let faults = Faults()
    private let verifier: BackgroundVerifier?
    private let decoder = FrameDecoder()
    let services: ConnectionServices
    let tokens: ReplaceableVerifier
    let group: MultiThreadedEventLoopGroup
    /// What new connections get; nil: plaintext.
    private let certificate: NIOLockedValueBox<ServerCertificate?>
    private let handshakes: HandshakePaces
    let figures: FiguresCollector
    let listener: NIOLockedValueBox<(any Channel)?> = NIOLockedValueBox(nil)
    /// Whether the listener closed while the server did not stop.
    let hasLostListener = NIOLockedValueBox(false)
    /// Whether `stop` has begun.
    let isStopping: NIOLockedValueBox<Bool>
    let storeWatch: StoreWatch

    /// Throws `SyncServerError.plaintextBeyondLoopback`, and what NIOSSL throws of a certificate or key that cannot be
    /// used. Nothing runs before `start`.
    /// - Parameters:
    ///   - store: how the server's own role connects to the log's database.
    ///   - direct: how to connect to it without a pooler in between, for LISTEN and NOTIFY; nil: `store` is direct.
    ///   - log: the log's identity, as the database has it.
    public init(
        configuration: SyncServerConfiguration, store: StoreConfiguration, direct: StoreConfiguration? = nil,
        log: LogIdentity, tokens: TokenVerifier, logger: Logger, clock: ServerClock = .system
    ) throws {
        if case .plaintext = configuration.security, !["127.0.0.1", "::1", "localhost"].contains(configuration.host) {
            throw SyncServerError.plaintextBeyondLoopback(configuration.host)
        }
        self.configuration = configuration
        let direct = (direct ?? store).serving(interruption)
        let store = store.serving(interruption)
        let budget = InboundBudget(limit: configuration.inboundBytes)
        lanes = Lanes(lanes: (0..<Self.laneCount).map { Lane(name: "lane-\($0)") }, partitions: log.partitions)
        liveness = Liveness(clock: clock)
        figures = FiguresCollector(lanes)
        hints = HeadHints(configuration: direct, faults: faults, logger: logger)
        let time = DatabaseTime(clock, logger: logger)
        let format = LogFormat(log.format)
        primary = PrimaryHeartbeat(store, clock: time.clock, logger: logger)
        let context = LaneContext(
            log: log, format: format, store: store, configuration: Self.lane(configuration), clock: time.clock,
            databaseTime: time, budget: budget, hints: hints, faults: faults,
            freshness: Freshness(lanes: lanes.lanes.count), liveness: liveness, primary: primary, logger: logger,
            receiptKey: configuration.receiptKey)
        self.context = context
        let isStopping = NIOLockedValueBox(false)
        self.isStopping = isStopping
        storeWatch = StoreWatch(
            store.forReading, log: log, clock: time.clock, logger: logger,
            isStopping: { isStopping.withLockedValue { $0 } })
        verifier = configuration.verifyInterval.map {
            BackgroundVerifier(store: store.forReading, log: log, interval: $0, logger: logger)
        }
        self.tokens = ReplaceableVerifier(tokens)
        services = ConnectionServices(
            limits: configuration.limits, format: format, clock: time.clock, tokens: self.tokens, lanes: lanes,
            budget: budget, parts: PartialFrames(limit: configuration.partialFrameBytes), decoder: decoder,
            quotas: RequestQuotas(configuration.limits),
            connections: ConnectionRegistry(limits: configuration.connections), logger: logger,
            isFresh: { context.isFresh(since: $0) })
        certificate = NIOLockedValueBox(try ServerCertificate(configuration.security))
        handshakes = HandshakePaces(configuration.connections, clock: time.clock)
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.eventLoops)
        for loop in group.makeIterator() { loop.execute { LaneThread.set(.prompt) } }
    }

    private static func lane(_ configuration: SyncServerConfiguration) -> LaneConfiguration {
        var lane = LaneConfiguration()
        lane.cacheBytes = configuration.cacheBytes / laneCount
        lane.userBytes = configuration.userBytes
        (lane.eventsPerDay, lane.bytesPerDay) = (configuration.limits.eventsPerDay, configuration.limits.bytesPerDay)
        lane.unavailableMilliseconds = configuration.limits.unavailableMilliseconds
        return lane
    }

    /// Starts the lanes and begins to accept connections. Called once.
    ///
    /// Throws `SyncServerError.cannotListen`; everything is stopped then.
    /// - Returns: where the server listens.
    public func start() async throws -> ListeningAddress {
        for (index, loop) in group.makeIterator().enumerated() {
            let (liveness, name) = (liveness, "event-loop-\(index)")
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(1)) { _ in liveness.turned(name) }
        }
        // No rows leave before it has an answer.
        primary.start()
        for (index, lane) in lanes.lanes.enumerated() {
            lane.start(context, index: index, partitions: lanes.partitions(of: index))
        }
        hints.start { [lanes] in lanes.headsMayHaveMoved($0) }
        verifier?.start()
        storeWatch.start()
        decoder.start()
        do {
            let channel = try await listen()
            keep(channel)
            guard let address = channel.localAddress, let port = address.port else {
                throw SyncServerError.notListening
            }
            return ListeningAddress(host: address.ipAddress ?? configuration.host, port: port)
        } catch {
            // Nothing of it runs on without anybody to serve.
            do {
                try await stop()
            } catch let other {
                context.logger.error("not stopped", metadata: ["error": "\(other)"])
            }
            throw error
        }
    }

    /// Finds out whether the server could listen: a database that is made or migrated for one that cannot is work for
    /// nothing. Throws `SyncServerError.cannotListen`.
    public static func tryListening(_ configuration: SyncServerConfiguration) async throws {
        // Any free port there is.
        guard configuration.port != 0 else { return }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Whoever connects meanwhile is not accepted, so the kernel resets the connection: nobody would serve it,
            // or close it.
            .serverChannelOption(.autoRead, value: false)
        try await bind(bootstrap, configuration).close()
    }

    private static func bind(
        _ bootstrap: ServerBootstrap, _ configuration: SyncServerConfiguration
    ) async throws -> any Channel {
        do {
            return try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
        } catch let error as IOError {
            throw SyncServerError.cannotListen(
                "\(ListeningAddress(host: configuration.host, port: configuration.port))",
                reason: String(cString: strerror(error.errnoCode)))
        }
    }

    private func listen() async throws -> any Channel {
        let (services, certificate, handshakes) = (services, certificate, handshakes)
        let proxies = configuration.connections.trustedProxies
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4_096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: AcceptPace.batch)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        AcceptFailurePause(logger: services.logger), AcceptPace(),
                    ])
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A device that sends nothing more is gone, and NIO would close its connection at once: see `ClosePace`.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // The kernel holds no more than this for a device that does not read. The rest waits in the session's
            // quota, where a newer value replaces an older one, and the server hears of each part that a slow device
            // takes (rule L2). By default the kernel holds 4 MB, and reports room only when a third of that is free.
            .childChannelOption(.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: 128 * 1024)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
            // Each channel keeps its last receive buffer: this holds a usual Hello, and grows for who sends much.
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if !proxies.isEmpty { try pipeline.addHandler(ProxyHeaderHandler(trusting: proxies)) }
                    let id = services.connections.makeID()
                    if let tls = certificate.withLockedValue({ $0?.context }) {
                        let gate = handshakes.gate(id, on: channel.eventLoop)
                        try pipeline.addHandler(gate)
                        try pipeline.addHandler(NIOSSLServerHandler(context: tls))
                        try pipeline.addHandler(HandshakeEnd(of: gate))
                    }
                    try pipeline.addHandler(SessionHandler(id: id, services: services))
                }
            }
        return try await Self.bind(bootstrap, configuration)
    }

    /// Runs until graceful shutdown, then calls `stop` (rule G1).
    public func run() async throws {
        try await gracefulShutdown()
        try await stop()
    }

    /// Rule G1: stops accepting, finishes the commits that are under way, sends every device away, ends all threads.
    public func stop() async throws {
        isStopping.withLockedValue { $0 = true }
        await closeListener()
        await drain()
        await sendEverybodyAway()
        try await group.shutdownGracefully()
    }

    /// Ends all threads, those beside the event loops. A database that says nothing holds them up for `drainSeconds`:
    /// then nothing that is under way is waited for, and nothing of it was acknowledged.
    private func drain() async {
        let (lanes, hints, verifier, primary, interruption) = (lanes.lanes, hints, verifier, primary, interruption)
        let (storeWatch, decoder) = (storeWatch, decoder)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            _ = LaneThread(name: "drain") {
                let patience = StoppablePause()
                let watch = LaneThread(name: "drain-watch") {
                    if patience.sleep(seconds: Self.drainSeconds) { interruption.raise() }
                }
                for lane in lanes { lane.beginStopping() }
                decoder.stop()
                verifier?.stop()
                storeWatch.stop()
                for lane in lanes { lane.stop() }
                hints.stop()
                primary.stop()
                patience.stop()
                watch.join()
                done.resume()
            }
        }
    }

    /// How many requests wait for the lanes.
    public var waitingRequests: Int { lanes.lanes.reduce(0) { $0 + $1.mailbox.count } }

    /// From now on tokens are checked by this verifier. Sessions whose token was signed with a key that it lacks end
    /// (`token_expired`); all others go on.
    public func replaceTokens(_ verifier: TokenVerifier) {
        tokens.replace(verifier)
        services.connections.reviewKeys()
    }

    /// When the certificate ends that new connections get, in seconds since 1970; nil: there is none.
    public var certificateEnd: Int? { certificate.withLockedValue { $0?.end } }

    /// Reads the certificate and its key again; new connections get them, and those that are open go on. Throws
    /// `SyncServerError` for files that cannot be used; nothing changes then.
    public func reloadCertificate() throws {
        let new = try ServerCertificate(configuration.security)
        certificate.withLockedValue { $0 = new }
    }

    /// TLS handshakes since the start, and those that wait.
    public var handshakeCounts: HandshakeCounts { handshakes.meter.counts }

    /// How many connections are open.
    public var connectionCount: Int { services.connections.count }
    /// Bytes of requests, nearly all of them appends that wait for their commit, over all sessions (`InboundBudget`).
    public var inboundBytes: Int { services.budget.used }
    /// Bytes of frames that have not come whole, but for small parts (`PartialFrames`).
    var partialFrameBytes: Int { services.parts.used }

    /// See `HeadHints.isListening`.
    var isListening: Bool { hints.isListening }

    /// What the background verifier found since the start; zeros when there is none.
    public var verification: VerificationCounts { verifier?.found ?? VerificationCounts() }

    /// How often this server and others appended to the same partitions at the same time, since the start.
    public var contention: ContentionCounts { context.contention.counts }

    /// How many users came from the database since the start.
    public var loads: LoadCounts { context.loads.counts }

    /// Bytes of rows that wait to be written, one number for each open connection.
    public var queuedBytes: [Int] { services.connections.queuedBytes }

    /// Tells every device to go and waits until all connections are closed. A device that does not take its GoAway is
    /// cut off after 3 s (`SessionHandler`).
    private func sendEverybodyAway() async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            services.connections.goAway(.shuttingDown) { done.resume() }
        }
    }
}
