/// One connection's side of the protocol, without the connection: messages and moments in, actions out.
///
/// Flow: `awaitingHello` → `authenticating` → `opening` → `live` → `closed`; every state may go to `closed`. Rows do
/// not pass through here: a `Subscription` beside the user's state makes them.
///
/// A copyable value: tests feed messages and compare actions.
public struct Session: Sendable {
    enum State: Hashable, Sendable {
        /// → authenticating, closed
        case awaitingHello
        /// → opening, closed
        indirect case authenticating(Hello)
        /// → live, closed
        case opening(Identity)
        /// → closed
        case live(Identity)
        case closed
    }

    private(set) var state = State.awaitingHello
    private let id: String
    private let shared: SharedSessionLimits
    var limits: SessionLimits { shared.value }
    private let versions: ClosedRange<UInt32>
    private let startedAt: MonotonicTime
    private var lastHeard: MonotonicTime
    private var nextPing: MonotonicTime
    /// The greatest version that both sides speak.
    private var protocolVersion: UInt32 = 1
    private var expiration: TokenExpiration?
    private var outgoing = OutgoingProgress()
    /// True while a new token is checked (rule A2); messages wait for it, so there is one at a time.
    var isRenewing = false
    /// The users that the session watches (rule V1).
    public internal(set) var watched: Set<UserID> = []
    private let heartbeat: Int64
    /// When the device is out of use, if it reports nothing before; nil while it is out of use.
    var activityEnds: MonotonicTime?
    var activityReports = AllowanceUse()
    private var unacknowledged = 0
    private var isPaused = false
    var fetches = 0
    /// True while all sessions together hold too many bytes: this one is not read from either.
    private var isOutOfBudget = false

    /// - Parameters:
    ///   - id: names the session in logs and in Welcome.
    ///   - versions: those of the protocol that the log allows; the session speaks what `limits` has of them.
    ///   - jitter: −1…1, spreads heartbeats by ± 10 % (rule L4); given from outside, as nothing here is random.
    public init(
        id: String, limits: SharedSessionLimits, versions: ClosedRange<UInt32> = 1...(.max), jitter: Double,
        now: MonotonicTime
    ) {
        self.id = id
        shared = limits
        self.versions = limits.value.protocolVersions.clamped(to: versions)
        startedAt = now
        lastHeard = now
        let interval = limits.value.heartbeatMilliseconds
        heartbeat = interval + Int64(Double(interval) * 0.1 * max(-1, min(1, jitter)))
        nextPing = now.adding(milliseconds: heartbeat)
    }

    /// Whether messages are accepted now. While a token is checked or rows are loaded they wait.
    public var acceptsMessages: Bool {
        switch state {
        case .awaitingHello, .closed: true
        case .live: !isRenewing
        case .authenticating, .opening: false
        }
    }

    public var isClosed: Bool { state == .closed }

    /// When `tick` must be called next.
    public var deadline: MonotonicTime {
        switch state {
        case .awaitingHello, .authenticating, .opening: startedAt.adding(milliseconds: limits.helloMilliseconds)
        case .live:
            min(
                nextPing, expiration?.deadline ?? nextPing,
                outgoing.stalls(after: limits.stalledMilliseconds) ?? nextPing, activityEnds ?? nextPing)
        case .closed: MonotonicTime(milliseconds: .max)
        }
    }

    // MARK: Input

    /// - Parameter take: takes what the message asks for from the device's quota; see `RequestQuota`.
    public mutating func receive(
        _ message: ClientMessage, now: MonotonicTime, take: RequestQuota = { _, _ in nil }
    ) -> [SessionAction] {
        lastHeard = now
        switch state {
        case .awaitingHello: return receiveFirst(message)
        case .live(let identity): return receiveLive(message, identity, take)
        case .authenticating, .opening, .closed: return []
        }
    }

    /// Receives bytes that are no frame (rule W4) or a frame over the limit (rule W1).
    public mutating func receiveUndecodable(_ code: ErrorCode, _ message: String) -> [SessionAction] {
        guard state != .closed else { return [] }
        return fail(ProtocolError(code, message))
    }

    /// - Parameter take: takes the session from the device's quota.
    public mutating func authenticated(
        _ identity: Identity, take: RequestQuota = { _, _ in nil }
    ) -> [SessionAction] {
        guard case .authenticating(let hello) = state else { return [] }
        if let wait = take(.session, 1) {
            return fail(tooManySessions(wait: wait))
        }
        state = .opening(identity)
        let view = View(
            scope: identity.scope, device: identity.device, deviceClass: identity.deviceClass ?? hello.deviceClass,
            isClassProven: identity.deviceClass != nil,
            collections: hello.collections.isEmpty ? nil : Set(hello.collections))
        return [
            .open(
                SessionOpening(
                    identity: identity, view: view, incarnation: hello.incarnation, cursor: hello.cursor,
                    protocolVersion: protocolVersion))
        ]
    }

    /// Answers in the same way whatever was wrong with the token (rule A1).
    public mutating func authenticationFailed() -> [SessionAction] {
        guard case .authenticating = state else { return [] }
        return fail(.tokenNotAccepted)
    }

    public mutating func opened(_ opened: SessionOpened, serverTime: Timestamp, now: MonotonicTime) -> [SessionAction] {
        guard case .opening(let identity) = state else { return [] }
        state = .live(identity)
        lastHeard = now
        nextPing = now.adding(milliseconds: heartbeat)
        let welcome = Welcome(
            protocolVersion: protocolVersion, session: id, log: opened.log, lastSequence: opened.lastSequence,
            lastEvent: protocolVersion >= 2 ? opened.lastEvent : nil,
            isEnded: protocolVersion >= 2 && opened.isEnded, logIsBehind: opened.logIsBehind,
            maximumFrameBytes: UInt32(limits.frameBytes),
            maximumUnacknowledgedAppends: UInt32(limits.unacknowledgedAppends),
            heartbeatMilliseconds: UInt32(limits.heartbeatMilliseconds), serverTime: serverTime,
            maximumFetches: UInt32(limits.fetches), quotas: limits.quotas)
        var actions: [SessionAction] = [.allowFrames(bytes: limits.frameBytes), .send(.welcome(welcome))]
        var expiration = expiration(of: identity, serverTime: serverTime, now: now)
        actions += expiration.warning(serverTime: serverTime, now: now)
        self.expiration = expiration
        return actions
    }

    /// The answer to `.renew` (rule A2); nil when the token is bad, which is answered in one way whatever was wrong
    /// (rule A1). A token of another identity would need another view, so it is treated as a bad one.
    public mutating func renewed(_ new: Identity?, serverTime: Timestamp, now: MonotonicTime) -> [SessionAction] {
        guard isRenewing, case .live = state else { return [] }
        isRenewing = false
        guard let new, mayRenew(new) else {
            let message = "The new token was not accepted. The one before it stays in force."
            return [.send(.error(ProtocolError(.unauthenticated, message)))]
        }
        state = .live(new)
        var expiration = expiration(of: new, serverTime: serverTime, now: now)
        defer { self.expiration = expiration }
        return [expiration.tell(serverTime: serverTime, now: now)]
    }

    /// Whether a token of this identity may renew the session.
    public func mayRenew(_ new: Identity) -> Bool {
        if case .live(let identity) = state { identity.mayBecome(new) } else { false }
    }

    private func expiration(of identity: Identity, serverTime: Timestamp, now: MonotonicTime) -> TokenExpiration {
        TokenExpiration(
            of: identity, serverTime: serverTime, now: now, warning: limits.expiryWarningMilliseconds)
    }

    // MARK: Output

    /// Whether rows wait to be written.
    public var hasRowsWaiting: Bool { outgoing.isWaiting }

    /// When the device will have taken nothing of its rows for so many milliseconds; nil while none wait.
    public func rowsStall(after milliseconds: Int64) -> MonotonicTime? { outgoing.stalls(after: milliseconds) }

    /// Records that a frame of rows waits to be written (rule L2).
    public mutating func rowsQueued(now: MonotonicTime) { outgoing.queued(now: now) }

    /// Records that a frame of rows was written. A device that reads what waits for it is not silent (rule L4): on a
    /// slow connection our ping waits behind those rows for longer than two intervals, and a device that was closed for
    /// that would begin anew again and again.
    public mutating func rowsWritten(now: MonotonicTime) {
        if outgoing.written(now: now) { lastHeard = now }
    }

    /// Records that reading stopped because all sessions together hold too much, or that it goes on: the device was not
    /// silent meanwhile.
    public mutating func outOfBudget(_ isOut: Bool, now: MonotonicTime) {
        if isOutOfBudget && !isOut { lastHeard = now }
        isOutOfBudget = isOut
    }

    /// Records that one append frame was answered, by an acknowledgement or an error; the partition decides what is
    /// sent.
    public mutating func appendAnswered() -> [SessionAction] {
        unacknowledged -= 1
        guard isPaused, unacknowledged <= limits.unacknowledgedAppends / 2 else { return [] }
        isPaused = false
        lastHeard = MonotonicTime(milliseconds: max(lastHeard.milliseconds, nextPing.milliseconds - heartbeat))
        return state == .closed ? [] : [.resumeReading]
    }

    /// Ends the session for a reason outside it.
    public mutating func failed(_ error: ProtocolError) -> [SessionAction] {
        guard state != .closed else { return [] }
        return fail(error)
    }

    /// Tells the client to come back later or elsewhere, and ends.
    /// - Parameter count: how many clients are told so at the same time; nil: as many as there may be.
    public mutating func goAway(_ code: ErrorCode, together count: Int? = nil) -> [SessionAction] {
        guard state != .closed else { return [] }
        state = .closed
        return [.send(.goAway(goAwayMessage(code, together: count))), .close]
    }

    public mutating func disconnected() { state = .closed }

    /// Called at `deadline` or later. The server's time is for the device's information.
    public mutating func tick(
        now: MonotonicTime, serverTime: Timestamp = Timestamp(microseconds: 0)
    ) -> [SessionAction] {
        switch state {
        case .closed: return []
        case .awaitingHello, .authenticating, .opening:
            guard now >= deadline else { return [] }
            return fail(ProtocolError(.helloTimeout, "No Hello within \(limits.helloMilliseconds / 1000) s."))
        case .live:
            if expiration?.isOver(now: now) == true { return goAway(.tokenExpired) }
            if let end = outgoing.stalls(after: limits.stalledMilliseconds), now >= end {
                return goAway(.slowConsumer)
            }
            let warning = (expiration?.warning(serverTime: serverTime, now: now) ?? []) + endSilentActivity(now: now)
            guard now >= nextPing else { return warning }
            // A socket that we do not read from cannot be heard (rule P9 suspends L4).
            if !isPaused, !isOutOfBudget, now - lastHeard >= 2 * heartbeat { return goAway(.heartbeatTimeout) }
            nextPing = now.adding(milliseconds: heartbeat)
            return warning + [.send(.ping(UInt64(bitPattern: now.milliseconds)))]
        }
    }

    // MARK: Messages

    /// Rules W5 and W7: the first message is Hello, and names a version of the protocol that this server speaks.
    private mutating func receiveFirst(_ message: ClientMessage) -> [SessionAction] {
        guard case .hello(let hello) = message else {
            return fail(ProtocolError(.helloRequired, "The first message must be Hello."))
        }
        guard hello.minimumProtocol <= hello.maximumProtocol,
            hello.maximumProtocol >= versions.lowerBound, hello.minimumProtocol <= versions.upperBound
        else {
            let bounds = "\(versions.lowerBound) to \(versions.upperBound)"
            return fail(ProtocolError(.protocolUnsupported, "This server speaks \(bounds)."))
        }
        protocolVersion = min(hello.maximumProtocol, versions.upperBound)
        state = .authenticating(hello)
        return [.authenticate(token: hello.token)]
    }

    private mutating func receiveLive(
        _ message: ClientMessage, _ identity: Identity, _ take: RequestQuota
    ) -> [SessionAction] {
        switch message {
        case .append(let request): return receiveAppend(request)
        case .heal(let request): return receiveHeal(request)
        case .recall(let request): return receiveRecall(request)
        case .resync(let collections): return receiveResync(collections, take)
        case .watch(let users): return receiveWatch(users, identity, take)
        case .unwatch(let users): return receiveUnwatch(users)
        case .ping(let nonce): return [.send(.pong(nonce))]
        case .ack, .pong: return []
        case .active(let isActive, let app): return receiveActive(isActive, app, identity, now: lastHeard)
        case .renew(let token): return receiveRenew(token, take)
        case .fetch(let request): return receiveFetch(request, identity, take)
        case .bye:
            state = .closed
            return [.close]
        case .hello:
            return fail(ProtocolError(.malformedFrame, "Hello was already said."))
        case .unknown: return [.send(.error(Self.unknownMessage))]
        }
    }

    private static let unknownMessage = ProtocolError(.unknownMessage, "This server does not know that message.")

    /// Rule P10. A recall is counted like an append.
    private mutating func receiveRecall(_ request: Recall) -> [SessionAction] {
        guard protocolVersion >= 2 else { return [.send(.error(Self.unknownMessage))] }
        if let flaw = request.flaw(limits) {
            return fail(ProtocolError(.malformedFrame, flaw, sequence: request.firstSequence))
        }
        return [.recall(request)] + countUnacknowledged()
    }

    private mutating func receiveAppend(_ request: AppendRequest) -> [SessionAction] {
        guard !request.envelopes.isEmpty, request.envelopes.count <= limits.eventsPerAppend else {
            let message = "An append holds 1 to \(limits.eventsPerAppend) events."
            return fail(ProtocolError(.malformedFrame, message, sequence: request.firstSequence))
        }
        guard request.firstSequence > .zero, request.firstSequence.rawValue < Int64.max / 4
        else {
            return fail(ProtocolError(.malformedFrame, "Sequences begin at 1.", sequence: request.firstSequence))
        }
        return [.append(request)] + countUnacknowledged()
    }

    /// Rule P9.
    mutating func countUnacknowledged() -> [SessionAction] {
        unacknowledged += 1
        guard !isPaused, unacknowledged >= limits.unacknowledgedAppends else { return [] }
        isPaused = true
        return [.pauseReading]
    }

    // MARK: Ends

    mutating func fail(_ error: ProtocolError) -> [SessionAction] {
        state = .closed
        return [.send(.error(error)), .close]
    }

    private func goAwayMessage(_ code: ErrorCode, together count: Int? = nil) -> GoAway {
        let bounds = count.map(limits.backoffMilliseconds(together:)) ?? limits.backoffMilliseconds
        return GoAway(
            code: code, minimumBackoffMilliseconds: bounds.lowerBound, maximumBackoffMilliseconds: bounds.upperBound)
    }
}
