import DequeModule
import FocusCore
import FocusWire

extension LaneWorker {
    /// Sends rows to the sessions of users that were waited for: just loaded, resumed, or changed by another server.
    func sendWanted() throws {
        guard isFresh else { return }
        let ready = plan.dequeueUsers { !users.isAwaitingLoad($0) || !sessions.hasSessions(of: $0) }
        for id in ready {
            if let user = users[id] {
                sendToAll(user)
                continue
            }
            for session in sessions.sessions(of: id) { fail(session.handle, userQuarantined(id)) }
        }
    }

    /// A server that has not confirmed its heads lately sends no rows; nor one whose PostgreSQL may
    /// have been replaced.
    var isFresh: Bool {
        context.clock.monotonic() - tails.confirmedAt < configuration.freshnessMilliseconds
            && context.primary?.vouches(within: configuration.freshnessMilliseconds) ?? true
    }

    /// As much as the session has room for of what it has not been sent.
    func send(to session: LaneSession, _ user: CachedUser) {
        guard isFresh else {
            plan.awaitRows(user.id)
            return
        }
        while session.subscription.liveVersion.map({ $0 < user.state.version }) ?? true,
            session.handle.outbox.hasRoom()
        {
            for frame in nextFrames(of: session, user) {
                session.handle.outbox.add(frame.count)
                deliveries.add(.rows(frame: frame), to: session.handle)
                // One page is written while the next is made.
                if frame.count > configuration.pageBytes / 2 { deliveries.send() }
            }
        }
        awaitCheckpoint(session)
    }

    func awaitCheckpoint(_ session: LaneSession) {
        guard session.subscription.owesCheckpoint else { return }
        plan.awaitCheckpoint(
            session.handle.id, now: context.clock.monotonic(), after: configuration.checkpointMilliseconds)
    }

    /// Checkpoints follow the last delta by a second (rule S9); under steady change, one a second.
    func sendCheckpoints() {
        guard isFresh else { return }
        let now = context.clock.monotonic()
        while let id = plan.dequeueCheckpoint(due: now) {
            guard let session = sessions[id] else { continue }
            if let user = users[session.identity.user],
                let checkpoint = session.subscription.checkpoint(&user.state)
            {
                deliveries.add(.control(frame: FrameCodec.frame(checkpoint)), to: session.handle)
            } else {
                // Where memory is short the user may leave it again within the second.
                if users[session.identity.user] == nil { plan.checkpointIsOverdue(id) }
                plan.awaitRows(session.identity.user)
            }
        }
    }
}
