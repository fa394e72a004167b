import EventStore
import FocusCore

extension LaneWorker {
    func close(_ id: UInt64) {
        peers.close(id)
        plan.closed(id)
        guard let session = sessions.remove(id) else { return }
        for frame in session.looksUp { context.budget.give(frame.request.bytes) }
    }

    /// Tells the device to go, behind all that waits for it.
    func end(_ session: LaneSession, _ code: ErrorCode) {
        deliveries.add(.goAway(code), to: session.handle)
        close(session.handle.id)
        sessions.leaves(session)
    }

    /// Lets in who waits, as far as the users are here.
    func performOpenings() {
        for (handle, opening) in sessions.dequeueWaiting() {
            if users.isAwaitingLoad(opening.identity.user) {
                sessions.enqueue(handle, opening)
            } else {
                open(handle, opening)
            }
        }
    }

    private func open(_ handle: SessionHandle, _ opening: SessionOpening) {
        let identity = opening.identity
        guard let user = users[identity.user] else { return fail(handle, userQuarantined(identity.user)) }
        guard !user.state.isRevoked(identity.device) else { return fail(handle, .tokenNotAccepted) }
        let now = context.clock.monotonic()
        user.lastUsed = now.milliseconds
        let status = user.state.status(
            of: opening.incarnation, device: identity.device, scope: identity.scope)
        guard status.standing != .foreign else { return fail(handle, .incarnationOfAnotherScope) }
        if let other = sessions.session(of: identity, opening.incarnation) {
            // Rule P8: a Hello may come late, with its token's check or with this lane. The connection that was accepted
            // later has the higher id, and is the newer one.
            guard other.handle.id < handle.id else { return deliveries.add(.goAway(.superseded), to: handle) }
            end(other, .superseded)
        }
        let start = self.standing(opening.cursor, opening.view, user)
        let session = LaneSession(
            handle: handle, identity: identity, incarnation: opening.incarnation,
            protocolVersion: opening.protocolVersion,
            subscription: Subscription(
                view: opening.view, log: context.log.log, resumingAt: start.cursor,
                pageBytes: configuration.pageBytes),
            openedAt: now, lastSequence: status.last)
        sessions.insert(session)
        deliveries.add(
            .opened(
                SessionOpened(
                    log: context.log.log, lastSequence: status.last, lastEvent: status.lastEvent,
                    isEnded: status.standing == .own(isEnded: true), logIsBehind: start.logIsBehind)), to: handle)
        send(to: session, user)
        awaitCheckpoint(session)
    }

    func fail(_ handle: SessionHandle, _ error: ProtocolError) {
        deliveries.add(.failed(error), to: handle)
    }

    /// What whoever asks for a quarantined user is told.
    func userQuarantined(_ user: UserID) -> ProtocolError {
        .userQuarantined(milliseconds: users.quarantineRest(of: user, now: context.clock.monotonic()))
    }
}
