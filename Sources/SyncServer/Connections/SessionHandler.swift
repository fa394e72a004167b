import FocusCore
import FocusWire
import Logging
import NIOCore
import Tokens

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

    let id: UInt64
    let services: ConnectionServices
    var session: Session
    private var splitter: FrameSplitter
    /// Below this many bytes a part of a frame is not counted.
    private static let smallPart = 4_096
    /// The bytes that `PartialFrames` knows of.
    private var partBytes = 0
    let quota: OutgoingQuota
    private var pauses: Pauses = []
    var context: ChannelHandlerContext?
    private var timer: DeadlineTimer?
    var lane: Lane?
    /// Whose quota its requests are taken from; nil before its token is accepted.
    private var device: QuotaKey?
    /// Whether the device got its Welcome.
    var isOpen = false
    /// The key that the session's token was signed with; nil before Hello.
    private var tokenKey: TokenKeyMark?
    var peers = PeerLanes()
    var viewer: Viewer?
    /// News that may not be written before the lane has confirmed its heads again, and everything behind them. Bounded
    /// by the quota and by the appends that may be under way.
    var held: [SessionDelivery] = []
    /// Whether statuses were dropped that the device is to be told anew.
    var lacksStatuses = false
    /// What the log says of the connection.
    var journal: ConnectionJournal
    /// Rings when the device may have taken nothing for a while.
    private var slowAlarm: Scheduled<Void>?

    /// - Parameter name: what Welcome calls the session.
    init(
        id: UInt64, services: ConnectionServices, name: String = randomName(), jitter: Double = .random(in: -1...1)
    ) {
        self.id = id
        self.services = services
        session = Session(
            id: name, limits: services.limits, versions: services.format.protocolVersions, jitter: jitter,
            now: services.clock.monotonic())
        splitter = FrameSplitter(limit: services.limits.value.frameBytesBeforeHello)
        quota = OutgoingQuota(limit: services.limits.value.outgoingBytes)
        journal = ConnectionJournal(id, name: name, services.logger, now: services.clock.monotonic())
    }

    /// A random name: one that counts would tell each device how many others connect (rule Z1).
    private static func randomName() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    // MARK: Channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        journal.address = context.remoteAddress.flatMap(ClientAddress.init)
        // Strongly, until the connection is closed: where a weak reference was made to an object, all others cost more.
        timer = DeadlineTimer(on: context.eventLoop) { self.tick() }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let refusal = services.connections.add(id, quota, from: context.remoteAddress.flatMap(ClientAddress.init)) {
            order in
            eventLoop.execute {
                switch order {
                case .goAway(let code, let count): loop.value.goAway(code, together: count)
                case .reviewKey: loop.value.reviewKey()
                }
            }
        }
        if let refusal { return refuse(refusal) }
        schedule()
    }

    /// A proxy says for whom it has connected, or the device will send nothing more.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            return services.closings.value(on: context.eventLoop).close { self.closeTransport() }
        }
        guard let proxied = event as? ProxiedAddress else { return context.fireUserInboundEventTriggered(event) }
        journal.address = proxied.address
        if let refusal = services.connections.connected(id, from: proxied.address) { refuse(refusal) }
    }

    /// Closes a connection that is one too many (rule Q2), without waiting for the device to take its GoAway: the bound
    /// is there to keep descriptors free.
    private func refuse(_ code: ErrorCode) {
        guard !session.isClosed else { return }
        goAway(code)
        closeTransport()
    }

    /// Closes the connection without waiting for anything that TLS would still send or get.
    private func closeTransport() {
        if let context { transport(context).close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        journal.received += buffer.readableBytes
        guard !session.isClosed else { return }
        splitter.feed(buffer.readableBytesView)
        process()
        chargePart()
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.disconnected()
        timer?.cancel()
        slowAlarm?.cancel()
        journal.closed(now: services.clock.monotonic())
        lane?.post(.close(session: id))
        peers.post(.close(session: id), except: lane)
        services.connections.remove(id)
        if partBytes > 0 { services.parts.holds(0, id, now: services.clock.monotonic()) {} }
        receiveLate(held)
        held = []
        self.context = nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        set(.unwritable, !context.channel.isWritable)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        journal.failed(error)
        context.close(promise: nil)
    }

    // MARK: Input

    func process() {
        while session.acceptsMessages, !session.isClosed {
            do {
                guard let frame = try splitter.next() else { break }
                let message = try FrameCodec.decodeClient(frame)
                perform(session.receive(message, now: services.clock.monotonic(), take: take), frame.count)
            } catch {
                perform(session.receiveUndecodable(error.code, error.message))
            }
        }
        // Answers are flushed together, because a flush is a system call.
        context?.flush()
        watchPace()
        set(.opening, !session.acceptsMessages)
        schedule()
    }

    /// Takes from the device's quota (rule Q5).
    private func take(_ request: QuotaRequest, _ amount: Int) -> Int64? {
        device.flatMap { services.quotas.take(amount, request, by: $0, now: services.clock.monotonic()) }
    }

    // MARK: Actions

    func perform(_ actions: [SessionAction], _ frameBytes: Int = 0) {
        journal.beginActions()
        for action in actions {
            switch action {
            case .send(let message):
                services.meter.says(message, isOpen: isOpen)
                journal.says(message)
                write(FrameCodec.frame(message))
            case .authenticate(let token): authenticate(token)
            case .renew(let token): renew(token)
            case .open(let opening): open(opening)
            case .append(let request): append(IncomingAppend(request, charge: charged(frameBytes)))
            case .heal(let request): append(IncomingAppend(request, charge: charged(frameBytes)))
            case .recall(let request): append(IncomingAppend(request, charge: charged(frameBytes)))
            case .fetch(let request): lane?.post(.fetch(session: id, request))
            case .reach(let id, let question, let viewer):
                if let context {
                    let asked = PeerQuestion(handle(context), viewer, request: id, question)
                    peers.ask(asked, in: services.lanes)
                }
            case .resync(let collections): if let lane { post([(lane, .resync(session: id, collections))]) }
            case .watch(let users, let viewer):
                self.viewer = viewer
                if let context { post(peers.watch(users, viewer, handle(context), in: services.lanes)) }
            case .unwatch(let users): post(peers.unwatch(users, session: id, in: services.lanes))
            case .inUse(let app): lane?.post(.activity(session: id, .inUse(app)))
            case .outOfUse: lane?.post(.activity(session: id, .outOfUse))
            case .allowFrames(let bytes): splitter.limit = bytes
            case .pauseReading: set(.appends, true)
            case .resumeReading: set(.appends, false)
            case .close:
                journal.ends()
                close()
            }
        }
    }

    private func authenticate(_ token: String) {
        do {
            let token = try services.tokens.check(token, now: services.clock.wall())
            services.connections.authenticated(id)
            tokenKey = token.key
            device = QuotaKey(token.identity)
            journal.identity = token.identity
            perform(session.authenticated(token.identity, take: take))
        } catch {
            journal.flaw = error.rawValue
            perform(session.authenticationFailed())
        }
        process()
    }

    private func renew(_ token: String) {
        let (wall, now) = (services.clock.wall(), services.clock.monotonic())
        // A renewal that is not accepted changes nothing, and is counted among the errors of sessions.
        let token = try? services.tokens.check(token, now: wall)
        if let token, session.mayRenew(token.identity) { tokenKey = token.key }
        perform(session.renewed(token?.identity, serverTime: wall, now: now))
        process()
    }

    /// Ends the session when its token's key is gone: whoever retires a key that was stolen shuts out its tokens.
    private func reviewKey() {
        guard let tokenKey, !services.tokens.accepts(tokenKey, now: services.clock.wall()) else { return }
        goAway(.tokenExpired)
    }

    private func open(_ opening: SessionOpening) {
        guard let context else { return }
        journal.deviceClass = opening.view.deviceClass
        let lane = services.lanes.lane(of: opening.identity.user)
        self.lane = lane
        lane.post(.open(handle(context), opening))
    }

    func handle(_ context: ChannelHandlerContext) -> SessionHandle {
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        return SessionHandle(id: id, quota: quota, eventLoop: context.eventLoop) {
            loop.value.receive($0, confirmedAt: $1)
        }
    }

    private func append(_ request: IncomingAppend) {
        guard let lane, context != nil else { return }
        FaultPoint.pass(.received)
        charge(request.charge)
        var request = request
        request.arrivedAt = services.clock.precise()
        lane.post(.append(session: id, request))
    }

    func post(_ requests: [(Lane, LaneRequest)]) {
        guard context != nil else { return }
        for (lane, request) in requests {
            if request.cost > 0 { charge(InboundCharge(bytes: request.cost)) }
            lane.post(request)
        }
    }

    private func charged(_ bytes: Int) -> InboundCharge { InboundCharge(bytes: bytes, user: device?.user) }

    /// Charges bytes to the inbound budget. Past its limit nothing is read from this connection until there is room.
    private func charge(_ charge: InboundCharge) {
        guard let context else { return }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let hasRoom = services.budget.reserve(charge) { eventLoop.execute { loop.value.set(.budget, false) } }
        if !hasRoom { set(.budget, true) }
    }

    /// Records what is held of a frame that has not come whole (rule Q7). Small parts are not worth a look: the bound
    /// of connections bounds them too.
    private func chargePart() {
        let bytes = splitter.pendingBytes >= Self.smallPart ? splitter.pendingBytes : 0
        guard bytes != partBytes, let context else { return }
        partBytes = bytes
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        services.parts.holds(bytes, id, now: services.clock.monotonic()) {
            eventLoop.execute { loop.value.refuse(.overloaded) }
        }
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
            services.logger.debug("reading not changed", metadata: ["connection": "\(id)", "error": "\(error)"])
        }
    }

    // MARK: Output

    func write(_ frame: [UInt8]) {
        guard let context else { return }
        journal.sent += frame.count
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }

    /// Writes a frame whose bytes count in the quota, and releases them when it is written.
    /// - Parameter onWritten: called with the session when the frame is written, or dropped with the connection.
    func writeRows(
        _ frame: [UInt8], onWritten: @escaping @Sendable (inout Session) -> Void = { _ in }
    ) {
        guard let context else { return }
        journal.sent += frame.count
        let (quota, count) = (quota, frame.count)
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
            onWritten(&loop.value.session)
            if quota.release(count) { loop.value.resume() }
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: written)
    }

    /// Writes a frame that does not count in the quota. The session counts it among the rows that wait, because rules
    /// L2 and A3 hold for it too.
    func writeControl(_ frame: [UInt8]) {
        guard let context else { return }
        journal.sent += frame.count
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        session.rowsQueued(now: services.clock.monotonic())
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in
            loop.value.session.rowsWritten(now: loop.value.services.clock.monotonic())
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: written)
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

    /// Runs code that only reads the session. A call on the property would copy the session first.
    private func reading<Result>(_ body: (inout Session) -> Result) -> Result { body(&session) }

    /// Has the log tell of a device that takes none of its rows, if some wait after a flush. Sets one alarm, whatever
    /// the log wants to know: a server's steps do not depend on that.
    private func watchPace() {
        let limit = ConnectionJournal.slowMilliseconds
        guard slowAlarm == nil, journal.isOpen, let context, let end = reading({ $0.rowsStall(after: limit) }) else {
            return
        }
        let left = end - services.clock.monotonic()
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        slowAlarm = context.eventLoop.scheduleTask(in: .milliseconds(left > 0 ? left : limit)) {
            loop.value.reviewPace()
        }
    }

    private func reviewPace() {
        slowAlarm = nil
        if let end = session.rowsStall(after: ConnectionJournal.slowMilliseconds),
            services.clock.monotonic() >= end
        {
            journal.isSlow(since: end, queued: quota.queuedBytes)
        }
        watchPace()
    }

    /// Sets the timer to the session's deadline. A deadline that moved later needs nothing until the timer rings, so
    /// most frames do not touch the timer.
    private func schedule() {
        guard context != nil, !session.isClosed else { return }
        timer?.set(for: reading { $0.deadline }, now: services.clock.monotonic())
    }

    private func tick() {
        perform(session.tick(now: services.clock.monotonic(), serverTime: services.clock.wall()))
        context?.flush()
        schedule()
    }
}
