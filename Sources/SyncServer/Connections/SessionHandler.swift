import FocusCore
import FocusWire
import Logging
import NIOCore
import NIOSSL

/// Feeds bytes to a `Session` and performs the actions that it answers with. Decides nothing of the protocol itself.
///
/// Flow: bytes → frames → messages → `Session` → actions; deliveries of the lane → frames → bytes.
final class SessionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The reasons why nothing is read from the socket at the moment. Without any, it is read.
    private struct Pauses: OptionSet {
        let rawValue: UInt8
        /// A token is being checked, or the session waits for its lane to open it.
        static let opening = Pauses(rawValue: 1)
        /// Too many appends of this session wait for their commit (rule P9).
        static let appends = Pauses(rawValue: 2)
        /// All sessions together hold too many bytes (`InboundBudget`).
        static let budget = Pauses(rawValue: 4)
        /// The device does not take what it is sent.
        static let unwritable = Pauses(rawValue: 8)
    }

    private let id: UInt64
    private let services: ConnectionServices
    private var session: Session
    private var splitter: FrameSplitter
    private let quota: OutgoingQuota
    private var pauses: Pauses = []
    private var context: ChannelHandlerContext?
    private var timer: DeadlineTimer?
    private var lane: Lane?
    private var peers = PeerLanes()
    private var viewer: Viewer?
    /// News that may not be written before the lane has confirmed its heads again, and everything behind them. Bounded
    /// by the quota and by the appends that may be under way.
    private var held: [SessionDelivery] = []
    /// Whether statuses were dropped that the device is to be told anew.
    private var lacksStatuses = false

    init(id: UInt64, services: ConnectionServices, jitter: Double = .random(in: -1...1)) {
        self.id = id
        self.services = services
        var limits = services.limits
        limits.protocolVersions = limits.protocolVersions.clamped(to: services.format.protocolVersions)
        session = Session(
            id: String(id, radix: 36), limits: limits, jitter: jitter, now: services.clock.monotonic())
        splitter = FrameSplitter(limit: limits.frameBytesBeforeHello)
        quota = OutgoingQuota(limit: limits.outgoingBytes)
    }

    // MARK: Channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        timer = DeadlineTimer(on: context.eventLoop) { [weak self] in self?.tick() }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let refusal = services.connections.add(id, quota, from: context.remoteAddress.flatMap(ClientAddress.init)) {
            code in
            eventLoop.execute { loop.value.goAway(code) }
        }
        if let refusal { return refuse(refusal) }
        schedule()
    }

    /// A proxy says for whom it has connected.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let proxied = event as? ProxiedAddress else { return context.fireUserInboundEventTriggered(event) }
        if let refusal = services.connections.connected(id, from: proxied.address) { refuse(refusal) }
    }

    /// Closes a connection that is one too many (rule Q2), without waiting for the device to take its GoAway: the bound
    /// is there to keep descriptors free.
    private func refuse(_ code: ErrorCode) {
        guard let context, !session.isClosed else { return }
        goAway(code)
        transport(context).close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard !session.isClosed else { return }
        splitter.feed(buffer.readableBytesView)
        process()
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.disconnected()
        timer?.cancel()
        lane?.post(.close(session: id))
        peers.post(.close(session: id), except: lane)
        services.connections.remove(id)
        receiveLate(held)
        held = []
        self.context = nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        set(.unwritable, !context.channel.isWritable)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        services.logger.debug("connection failed", metadata: ["session": "\(id)", "error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Input

    private func process() {
        while session.acceptsMessages, !session.isClosed {
            do {
                guard let frame = try splitter.next() else { break }
                perform(
                    session.receive(try FrameCodec.decodeClient(frame), now: services.clock.monotonic()), frame.count)
            } catch {
                perform(session.receiveUndecodable(error.code, error.message))
            }
        }
        // Answers are flushed together, because a flush is a system call.
        context?.flush()
        set(.opening, !session.acceptsMessages)
        schedule()
    }

    /// Performs what lanes made for this connection, in the order in which they made it.
    /// - Parameter confirmedAt: when the heads were confirmed that the news among them rest on.
    func receive(_ deliveries: [SessionDelivery], confirmedAt: MonotonicTime) {
        guard context != nil, !session.isClosed else { return receiveLate(deliveries) }
        let mayTell = !deliveries.contains(where: \.isNews) || services.isFresh(confirmedAt)
        if held.isEmpty, mayTell {
            for delivery in deliveries { perform(delivery) }
        } else {
            hold(deliveries, isConfirmed: mayTell)
        }
        process()
    }

    private func perform(_ delivery: SessionDelivery) {
        switch delivery {
        case .opened(let opened):
            perform(session.opened(opened, serverTime: services.clock.wall(), now: services.clock.monotonic()))
        case .answered(let frame, let released):
            services.budget.release(released)
            if !frame.isEmpty { write(frame) }
            perform(session.appendAnswered())
        case .rows(let frame), .statuses(let frame): writeRows(frame)
        case .fetched(let frame): writeRows(frame) { $0.fetchAnswered() }
        case .control(let frame): writeControl(frame)
        case .confirmed: break
        case .failed(let error): perform(session.failed(error))
        case .goAway(let code): goAway(code)
        case .cutOff: cutOff()
        }
    }

    /// Rules A3 and V2: holds news that are too old to be written, and everything behind them, until the lane has
    /// confirmed its heads: if the device was revoked meanwhile, the lane says that first. Statuses are not held but
    /// asked for again, because they may show no more than what holds when they are written.
    private func hold(_ deliveries: [SessionDelivery], isConfirmed: Bool) {
        for delivery in deliveries {
            if session.isClosed {
                receiveLate([delivery])
            } else if case .cutOff = delivery {
                cutOff()
            } else if case .confirmed = delivery {
                if isConfirmed { writeHeld() } else if !held.isEmpty { confirm() }
            } else if held.isEmpty, isConfirmed || !delivery.isNews {
                perform(delivery)
            } else if case .statuses(let frame) = delivery {
                if quota.release(frame.count) { resume() }
                lacksStatuses = true
                if held.isEmpty { watchAgain() }
            } else {
                if held.isEmpty { confirm() }
                held.append(delivery)
            }
        }
    }

    private func writeHeld() {
        let confirmed = held
        held = []
        for delivery in confirmed { if session.isClosed { receiveLate([delivery]) } else { perform(delivery) } }
        if lacksStatuses { watchAgain() }
    }

    /// Has the lanes go on: the device has taken what was queued.
    private func resume() {
        lane?.post(.resume(session: id))
        peers.post(.resume(session: id), except: lane)
    }

    private func watchAgain() {
        lacksStatuses = false
        guard let context, let viewer else { return }
        post(peers.watch(session.watched, viewer, handle(context), in: services.lanes))
    }

    private func confirm() {
        if let context { lane?.post(.confirm(handle(context))) }
    }

    /// Deals with deliveries for a connection that is closing or closed: gives budget back, and cuts a revoked device
    /// off.
    private func receiveLate(_ deliveries: [SessionDelivery]) {
        for delivery in deliveries {
            switch delivery {
            case .answered(_, let released): services.budget.release(released)
            // Bytes that were written before may not have left the process yet.
            case .cutOff: cutOff()
            case .opened, .rows, .statuses, .fetched, .control, .confirmed, .failed, .goAway: break
            }
        }
    }

    private func goAway(_ code: ErrorCode) {
        perform(session.goAway(code))
        context?.flush()
    }

    /// Rule A3: ends the session of a revoked device. If rows wait for a slow device, they would leave before a GoAway,
    /// so the connection is closed without one.
    private func cutOff() {
        guard session.hasRowsWaiting, let context else { return goAway(.unauthenticated) }
        session.disconnected()
        transport(context).close(promise: nil)
    }

    /// Where a connection is closed at once. The TLS handler is bypassed: on close it would first write the bytes that
    /// it holds.
    private func transport(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        (try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)) ?? context
    }

    // MARK: Actions

    private func perform(_ actions: [SessionAction], _ frameBytes: Int = 0) {
        for action in actions {
            switch action {
            case .send(let message): write(FrameCodec.frame(message))
            case .authenticate(let token): authenticate(token)
            case .renew(let token): renew(token)
            case .open(let opening): open(opening)
            case .append(let request): append(IncomingAppend(request, bytes: frameBytes))
            case .heal(let request): append(IncomingAppend(request, bytes: frameBytes))
            case .recall(let request): append(IncomingAppend(request, bytes: frameBytes))
            case .fetch(let request): lane?.post(.fetch(session: id, request))
            case .resync(let collections): if let lane { post([(lane, .resync(session: id, collections))]) }
            case .watch(let users, let viewer):
                self.viewer = viewer
                if let context { post(peers.watch(users, viewer, handle(context), in: services.lanes)) }
            case .unwatch(let users): post(peers.unwatch(users, session: id, in: services.lanes))
            case .allowFrames(let bytes): splitter.limit = bytes
            case .pauseReading: set(.appends, true)
            case .resumeReading: set(.appends, false)
            case .close: close()
            }
        }
    }

    private func authenticate(_ token: String) {
        if let identity = services.tokens.identity(of: token, now: services.clock.wall()) {
            services.connections.authenticated(id)
            perform(session.authenticated(identity))
        } else {
            perform(session.authenticationFailed())
        }
        process()
    }

    private func renew(_ token: String) {
        let (wall, now) = (services.clock.wall(), services.clock.monotonic())
        let identity = services.tokens.identity(of: token, now: wall)
        perform(session.renewed(identity, serverTime: wall, now: now))
        process()
    }

    private func open(_ opening: SessionOpening) {
        guard let context else { return }
        let lane = services.lanes.lane(of: opening.identity.user)
        self.lane = lane
        lane.post(.open(handle(context), opening))
    }

    private func handle(_ context: ChannelHandlerContext) -> SessionHandle {
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        return SessionHandle(id: id, quota: quota, eventLoop: context.eventLoop) {
            loop.value.receive($0, confirmedAt: $1)
        }
    }

    private func append(_ request: IncomingAppend) {
        guard let lane, context != nil else { return }
        FaultPoint.pass(.received)
        charge(request.bytes)
        lane.post(.append(session: id, request))
    }

    private func post(_ requests: [(Lane, LaneRequest)]) {
        guard context != nil else { return }
        for (lane, request) in requests {
            charge(request.cost)
            lane.post(request)
        }
    }

    /// Charges bytes to the inbound budget. Past its limit nothing is read from this connection until there is room.
    private func charge(_ bytes: Int) {
        guard let context else { return }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let hasRoom = services.budget.reserve(bytes) { eventLoop.execute { loop.value.set(.budget, false) } }
        if !hasRoom { set(.budget, true) }
    }

    private func set(_ pause: Pauses, _ isPaused: Bool) {
        let before = pauses
        if isPaused { pauses.insert(pause) } else { pauses.remove(pause) }
        if pause == .budget { session.outOfBudget(isPaused, now: services.clock.monotonic()) }
        guard pauses.isEmpty != before.isEmpty, let context else { return }
        do {
            try context.channel.syncOptions?.setOption(.autoRead, value: pauses.isEmpty)
        } catch {
            // Only a closed channel refuses the option.
            services.logger.debug("reading not changed", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }

    // MARK: Output

    private func write(_ frame: [UInt8]) {
        guard let context else { return }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: frame)), promise: nil)
    }

    /// Writes a frame whose bytes count in the quota, and releases them when it is written.
    /// - Parameter onWritten: called with the session when the frame is written, or dropped with the connection.
    private func writeRows(
        _ frame: [UInt8], onWritten: @escaping @Sendable (inout Session) -> Void = { _ in }
    ) {
        guard let context else { return }
        let (quota, count) = (quota, frame.count)
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
            onWritten(&loop.value.session)
            if quota.release(count) { loop.value.resume() }
        }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: frame)), promise: written)
    }

    /// Writes a frame that does not count in the quota. The session counts it among the rows that wait, because rules
    /// L2 and A3 hold for it too.
    private func writeControl(_ frame: [UInt8]) {
        guard let context else { return }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
        }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: frame)), promise: written)
    }

    /// Flushes, then closes. A device that does not take the last bytes is cut off after 3 s.
    private func close() {
        guard let context else { return }
        timer?.cancel()
        context.flush()
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(capacity: 0))).whenComplete { _ in
            channel.close(promise: nil)
        }
        context.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
    }

    // MARK: Time

    /// Sets the timer to the session's deadline. A deadline that moved later needs nothing until the timer rings, so
    /// most frames do not touch the timer.
    private func schedule() {
        guard context != nil, !session.isClosed else { return }
        timer?.set(for: session.deadline, now: services.clock.monotonic())
    }

    private func tick() {
        perform(session.tick(now: services.clock.monotonic(), serverTime: services.clock.wall()))
        context?.flush()
        schedule()
    }
}
