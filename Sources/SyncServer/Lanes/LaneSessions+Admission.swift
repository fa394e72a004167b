import EventStore
import FocusCore

/// Looks an event of the log up: who had the version. Nil: nobody has.
typealias EventLookup = (CachedUser, Version) throws -> EventID?

extension LaneSessions {
    /// Partitions whose log may have more than is known: a cursor that is ahead of its user's state may come from another
    /// server's commit, which is looked for before it is called lost.
    func partitionsBehindCursors(_ users: some UserDirectory) -> Set<Partition> {
        var partitions: Set<Partition> = []
        for (_, opening) in open.waiting {
            guard let user = users[opening.identity.user], let cursor = opening.cursor,
                cursor.log == context.log.log, cursor.version > user.state.version
            else { continue }
            partitions.insert(user.partition)
        }
        return partitions
    }

    /// Lets in who waits, as far as their users are in memory.
    func admit(_ users: some UserDirectory, event: EventLookup) {
        for (handle, opening) in open.dequeueWaiting() {
            if users.isAwaitingLoad(opening.identity.user) {
                open.enqueue(handle, opening)
            } else {
                admit(handle, opening, users, event)
            }
        }
    }

    private func admit(
        _ handle: SessionHandle, _ opening: SessionOpening, _ users: some UserDirectory, _ event: EventLookup
    ) {
        let identity = opening.identity
        guard let user = users[identity.user] else { return fail(handle, quarantine(of: identity.user, users)) }
        guard !user.state.isRevoked(identity.device) else { return fail(handle, .tokenNotAccepted) }
        user.lastUsed = now.milliseconds
        let status = user.state.status(of: opening.incarnation, device: identity.device, scope: identity.scope)
        guard status.standing != .foreign else { return fail(handle, .incarnationOfAnotherScope) }
        if let other = open.session(of: identity, opening.incarnation) {
            // Rule P8: a Hello may come late, with its token's check or with this lane. The connection that was accepted
            // later has the higher id, and is the newer one.
            guard other.handle.id < handle.id else { return deliveries.add(.goAway(.superseded), to: handle) }
            end(other, .superseded)
        }
        let start = start(at: opening.cursor, opening.view, user, event)
        let session = LaneSession(
            handle: handle, identity: identity, incarnation: opening.incarnation,
            protocolVersion: opening.protocolVersion,
            subscription: Subscription(
                view: opening.view, log: context.log.log, resumingAt: start.cursor,
                pageBytes: context.configuration.pageBytes),
            openedAt: now, lastSequence: status.last)
        open.insert(session)
        let opened = SessionOpened(
            log: context.log.log, lastSequence: status.last, lastEvent: status.lastEvent,
            isEnded: status.standing == .own(isEnded: true), logIsBehind: start.logIsBehind)
        deliveries.add(.opened(opened), to: handle)
        send(to: session, user)
        awaitCheckpoint(session)
    }

    /// The cursor, if it can be continued from (rules S4, S5), and whether it names an event that this log once had and
    /// has not any more (rule S6). Without a cursor: a snapshot.
    private func start(
        at cursor: Cursor?, _ view: View, _ user: CachedUser, _ event: EventLookup
    ) -> (cursor: Cursor?, logIsBehind: Bool) {
        guard let cursor, cursor.log == context.log.log else { return (nil, false) }
        guard cursor.version <= user.state.version else { return (nil, true) }
        do {
            let isLast = cursor.version == user.state.version
            let last = cursor.version > .zero && !isLast ? try event(user, cursor.version) : user.state.lastEvent
            guard cursor.version == .zero || last == cursor.event else { return (nil, true) }
        } catch {
            // When the log cannot be asked, a snapshot is always right.
            return (nil, false)
        }
        let isAccepted = Subscription.accepts(cursor, view: view, log: context.log.log, state: user.state)
        return (isAccepted ? cursor : nil, false)
    }

    func fail(_ handle: SessionHandle, _ error: ProtocolError) { deliveries.add(.failed(error), to: handle) }

    private func quarantine(of user: UserID, _ users: some UserDirectory) -> ProtocolError {
        .userQuarantined(milliseconds: users.quarantineRest(of: user, now: now))
    }
}
