import FocusCore
import FocusWire
import Logging
import NIOCore
import NIOSSL
import Tokens

/// Feeds bytes to a `Session` and performs the actions that it answers with. Decides nothing of the protocol itself.
///
/// Flow: bytes → frames → messages → `Session` → actions; deliveries of the lane → frames → bytes.
final class SessionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The reasons why nothing is read from the socket at the moment. Without any, it is read.
    struct Pauses: OptionSet {
        let rawValue: UInt8
        /// A token is being checked, or the session waits for its lane to open it.
        static let opening = Pauses(rawValue: 1)
        /// Too many appends of this session wait for their commit (rule P9).
        static let appends = Pauses(rawValue: 2)
        /// The user's sessions hold more bytes than they may (`InboundBudget`).
        static let budget = Pauses(rawValue: 4)
        /// The device does not take what it is sent.
        static let unwritable = Pauses(rawValue: 8)
        /// A large frame is being decoded, beside the event loop (rule Q1).
        static let decoding = Pauses(rawValue: 16)
        /// Other connections have their turn (rule Q1).
        static let turn = Pauses(rawValue: 32)
    }

    let id: UInt64
    let services: ConnectionServices
    var session: Session
    var splitter: FrameSplitter
    /// Below this many bytes what was read and not taken up is not counted.
    static let smallPart = 4_096
    /// The bytes that `PartialFrames` knows of.
    private var partBytes = 0
    let quota: OutgoingQuota
    private(set) var pauses: Pauses = []
    private var turns: ReadTurns?
    var context: ChannelHandlerContext?
    var timer: DeadlineTimer?
    var lane: Lane?
    /// Who the connection acts as; nil before its token is accepted.
    var identity: Identity? { journal.identity }
    /// For whom what the connection takes is counted.
    var owner: ConnectionOwner { identity.map { .user($0.user) } ?? .connection(id) }
    /// Whether the device got its Welcome.
    var isOpen = false
    /// The key that the session's token was signed with; nil before Hello.
    var tokenKey: TokenKeyMark?
    var peers = PeerLanes()
    /// News that may not be written before the lane has confirmed its heads again, and everything behind them. Bounded
    /// by the quota and by the appends that may be under way.
    var held: [SessionDelivery] = []
    /// Whether statuses were dropped that the device is to be told anew.
    var lacksStatuses = false
    /// What the log says of the connection.
    var journal: ConnectionJournal
    /// Rings when the device may have taken nothing for a while.
    var slowAlarm: Scheduled<Void>?

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
        turns = services.turns.value(on: context.eventLoop)
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

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        journal.received += buffer.readableBytes
        guard !session.isClosed else { return }
        splitter.feed(buffer.readableBytesView)
        // Bytes that make no frame whole cost something too.
        turns?.took(ReadTurns.bytesPerFrame, owner)
        process()
    }

    func channelInactive(context: ChannelHandlerContext) {
        session.disconnected()
        timer?.cancel()
        slowAlarm?.cancel()
        journal.closed(now: services.clock.monotonic())
        lane?.post(.close(session: id))
        peers.post(.close(session: id), except: lane)
        services.connections.remove(id)
        if partBytes > 0 { services.parts.holds(0, id, of: owner, now: services.clock.monotonic()) {} }
        turns?.forget(id, of: owner)
        receiveLate(held)
        held = []
        self.context = nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        set(.unwritable, !context.channel.isWritable)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        journal.failed(error)
        // NIOSSL says so of a device that is gone without having ended TLS. The event that follows, that nothing more
        // comes, has the connection closed (`ClosePace`).
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }

    // MARK: Input

    /// Takes up frames that came, until others have their turn. Never called for an action: a device may send so many
    /// frames that each calls for one that the stack would end.
    func process() {
        let owner = owner
        let room = turns?.room(of: owner) ?? 0
        var (taken, isTurnOver) = (0, false)
        while session.acceptsMessages, !session.isClosed, pauses.isDisjoint(with: [.decoding, .turn]) {
            // A splitter that has nothing is asked in any case: it frees its buffer.
            isTurnOver = taken >= room && splitter.pendingBytes > 0
            guard !isTurnOver, mayTake(splitter.pendingBytes) else { break }
            do {
                guard let frame = try splitter.next() else { break }
                taken += frame.count + ReadTurns.bytesPerFrame
                if !isDecodedBeside(frame) { take(try FrameCodec.decodeClient(frame), frame.count) }
            } catch {
                perform(session.receiveUndecodable(error.code, error.message))
            }
        }
        turns?.took(taken, owner)
        if isTurnOver { endTurn(of: owner) }
        // Answers are flushed together, because a flush is a system call.
        context?.flush()
        watchPace()
        set(.opening, !session.acceptsMessages)
        schedule()
        chargePart()
    }

    private func take(_ message: ClientMessage, _ bytes: Int, _ events: [IncomingEvent]? = nil) {
        perform(session.receive(message, now: services.clock.monotonic(), take: take), bytes, events)
    }

    /// Goes on once other connections of the event loop have had their turn.
    private func endTurn(of owner: ConnectionOwner) {
        set(.turn, true)
        turns?.wait(id, of: owner) { [self] in
            set(.turn, false)
            process()
        }
    }

    /// Has a large frame decoded beside the event loop. Nothing behind it is taken up before.
    private func isDecodedBeside(_ frame: [UInt8]) -> Bool {
        guard frame.count >= FrameDecoder.leastBytes, let decoder = services.decoder, let user = identity?.user,
            let context
        else { return false }
        set(.decoding, true)
        let held = InboundCharge(bytes: frame.count, owner: .user(user))
        charge(held)
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let (eventLoop, budget) = (context.eventLoop, services.budget)
        decoder.decode(frame, of: user) { decoded in
            budget.release(held)
            eventLoop.execute { loop.value.decoded(decoded, frame.count) }
        }
        return true
    }

    private func decoded(_ frame: Result<DecodedFrame, FrameError>, _ bytes: Int) {
        set(.decoding, false)
        guard !session.isClosed else { return }
        switch frame {
        case .success(let frame): take(frame.message, bytes, frame.events)
        case .failure(let error): perform(session.receiveUndecodable(error.code, error.message))
        }
        process()
    }

    /// Takes from the device's quota (rule Q5).
    func take(_ request: QuotaRequest, _ amount: Int) -> Int64? {
        identity.flatMap {
            services.quotas.take(amount, request, by: QuotaKey($0), now: services.clock.monotonic())
        }
    }

    /// Records what is held of a frame that has not come whole (rule Q7). Small parts are not worth a look: the bound
    /// of connections bounds them too.
    private func chargePart() {
        let bytes = splitter.pendingBytes >= Self.smallPart ? splitter.pendingBytes : 0
        guard bytes != partBytes, let context else { return }
        partBytes = bytes
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        services.parts.holds(bytes, id, of: owner, now: services.clock.monotonic()) {
            eventLoop.execute { loop.value.refuse(.overloaded) }
        }
    }

    func set(_ pause: Pauses, _ isPaused: Bool) {
        let before = pauses
        if isPaused { pauses.insert(pause) } else { pauses.remove(pause) }
        // The device is not heard, and not to be taken for dead.
        let unheard: Pauses = [.budget, .decoding, .turn]
        if unheard.isDisjoint(with: before) != unheard.isDisjoint(with: pauses) {
            session.outOfBudget(!unheard.isDisjoint(with: pauses), now: services.clock.monotonic())
        }
        guard pauses.isEmpty != before.isEmpty, let context else { return }
        do {
            try context.channel.syncOptions?.setOption(.autoRead, value: pauses.isEmpty)
        } catch {
            // Only a closed channel refuses the option.
            services.logger.debug("reading not changed", metadata: ["connection": "\(id)", "error": "\(error)"])
        }
    }
}
