import FocusCore
import FocusWire

extension LaneSessions {
    /// Sends rows to the sessions of users that were waited for: just loaded, resumed, or changed by another server.
    func sendAwaited(_ users: some UserDirectory) {
        guard isFresh else { return }
        for id in plan.dequeueUsers(where: { !users.isAwaitingLoad($0) || !open.hasSessions(of: $0) }) {
            if let user = users[id] {
                sendToAll(of: user)
            } else {
                let error = ProtocolError.userQuarantined(milliseconds: users.quarantineRest(of: id, now: now))
                for session in open.sessions(of: id) { fail(session.handle, error) }
            }
        }
    }

    /// To every session of the user what it has not been sent.
    func sendToAll(of user: CachedUser) {
        let sessions = open.sessions(of: user.id)
        user.deltas = sessions.count > 1 ? DeltaFrames() : nil
        for session in sessions { send(to: session, user) }
        user.deltas = nil
    }

    /// As much as the session has room for of what it has not been sent.
    func send(to session: LaneSession, _ user: CachedUser) {
        guard isFresh else { return plan.awaitRows(user.id) }
        while session.isBehind(user), session.handle.quota.hasRoom() {
            for frame in session.nextFrames(of: user) {
                deliveries.addRows(frame, to: session.handle)
                // One page is written while the next is made.
                if frame.count > context.configuration.pageBytes / 2 { deliveries.send() }
            }
        }
        awaitCheckpoint(session)
    }

    // MARK: Checkpoints

    func awaitCheckpoint(_ session: LaneSession) {
        guard session.subscription.owesCheckpoint else { return }
        plan.awaitCheckpoint(session.handle.id, now: now, after: context.configuration.checkpointMilliseconds)
    }

    /// Checkpoints follow the last delta by a second (rule S9); under steady change, one a second.
    func sendCheckpoints(_ users: some UserDirectory) {
        guard isFresh else { return }
        let now = now
        while let id = plan.dequeueCheckpoint(due: now) {
            guard let session = open[id] else { continue }
            let user = users[session.identity.user]
            if let checkpoint = user.flatMap({ session.subscription.checkpoint(&$0.state) }) {
                deliveries.add(.control(frame: FrameCodec.frame(checkpoint)), to: session.handle)
            } else {
                // Where memory is short the user may leave it again within the second.
                if user == nil { plan.checkpointIsOverdue(id) }
                plan.awaitRows(session.identity.user)
            }
        }
    }
}
