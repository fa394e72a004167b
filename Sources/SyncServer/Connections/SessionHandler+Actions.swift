import FocusCore
import FocusWire
import NIOCore
import Tokens

/// What a session has decided on: it is written, or handed to a lane.
extension SessionHandler {
    /// - Parameters:
    ///   - frameBytes: of the frame that they answer.
    ///   - events: what it appends or gives back, where that is decoded already.
    func perform(_ actions: [SessionAction], _ frameBytes: Int = 0, _ events: [IncomingEvent]? = nil) {
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
            case .append(let request):
                append(IncomingAppend(request, events, charge: charged(frameBytes, events: request.envelopes.count)))
            case .heal(let request):
                append(IncomingAppend(request, events, charge: charged(frameBytes, events: request.eventCount)))
            case .recall(let request):
                append(IncomingAppend(request, charge: charged(frameBytes, events: request.events.count)))
            case .fetch(let request): lane?.post(.fetch(session: id, request))
            case .reach(let id, let question, let viewer):
                if let context {
                    let asked = PeerQuestion(handle(context), viewer, request: id, question)
                    peers.ask(asked, in: services.lanes)
                }
            case .resync(let collections): if let lane { post([(lane, .resync(session: id, collections))]) }
            case .watch(let users, let viewer):
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
            journal.identity = token.identity
            perform(session.authenticated(token.identity, take: take))
        } catch {
            journal.flaw = error.rawValue
            perform(session.authenticationFailed())
        }
    }

    private func renew(_ token: String) {
        let (wall, now) = (services.clock.wall(), services.clock.monotonic())
        // A renewal that is not accepted changes nothing, and is counted among the errors of sessions.
        let token = try? services.tokens.check(token, now: wall)
        if let token, session.mayRenew(token.identity) { tokenKey = token.key }
        perform(session.renewed(token?.identity, serverTime: wall, now: now))
    }

    /// Ends the session when its token's key is gone: whoever retires a key that was stolen shuts out its tokens.
    func reviewKey() {
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
            if let bytes = request.charge { charge(bytes) }
            lane.post(request)
        }
    }

    /// What a frame takes until it is answered, and what its answer may take until it has left.
    private func charged(_ bytes: Int, events: Int) -> InboundCharge {
        InboundCharge(bytes: bytes + events * AppendJudge.refusalBytes, owner: owner)
    }

    /// Charges bytes to the inbound budget. Past its bound nothing is read from this connection until there is room.
    func charge(_ charge: InboundCharge) {
        waitForRoom { !services.budget.reserve(charge, resume: $0) }
    }

    /// Whether the frames that wait may be taken up. Few bytes always may: the budget's lock costs more than they do.
    /// - Parameter bytes: how many bytes wait.
    func mayTake(_ bytes: Int) -> Bool {
        guard bytes >= Self.smallPart else { return true }
        if !pauses.contains(.budget) { waitForRoom { !services.budget.admits(owner, resume: $0) } }
        return !pauses.contains(.budget)
    }

    /// Reads nothing from this connection, and takes up nothing large, until the budget has room.
    /// - Parameter isFull: asks the budget, which calls the closure that it is given once there is room; returns whether
    ///   there is none now.
    private func waitForRoom(_ isFull: (@escaping @Sendable () -> Void) -> Bool) {
        guard let context else { return }
        let loop = NIOLoopBound(self, eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        let waits = isFull {
            eventLoop.execute {
                loop.value.set(.budget, false)
                loop.value.process()
            }
        }
        if waits { set(.budget, true) }
    }
}
