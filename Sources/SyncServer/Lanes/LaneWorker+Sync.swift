import DequeModule
import FocusCore
import FocusWire

extension LaneWorker {
    /// Sends rows to the sessions of users that were waited for: just loaded, resumed, or changed by another server.
    func sendWanted() throws {
        guard isFresh else { return }
        let ready = wanted.filter { users[$0] != nil || sessionsByUser[$0] == nil || quarantined[$0] != nil }
        wanted.subtract(ready)
        for id in ready {
            if let user = users[id] {
                sendToAll(user)
                continue
            }
            for session in sessionsByUser[id] ?? [] {
                if let handle = sessions[session]?.handle { fail(handle, userQuarantined(id)) }
            }
        }
    }

    /// A server that has not confirmed its heads lately sends no rows (architecture.md §3); nor one whose PostgreSQL may
    /// have been replaced.
    var isFresh: Bool {
        context.clock.monotonic() - headsConfirmedAt < configuration.freshnessMilliseconds
            && context.primary?.vouches(within: configuration.freshnessMilliseconds) ?? true
    }

    /// As much as the session has room for of what it has not been sent.
    func send(to id: UInt64, _ user: CachedUser) {
        guard let session = sessions[id] else { return }
        guard isFresh else {
            wanted.insert(user.id)
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
        awaitCheckpoint(id)
    }

    func awaitCheckpoint(_ id: UInt64) {
        guard let session = sessions[id], session.subscription.owesCheckpoint, !session.awaitsCheckpoint else { return }
        session.awaitsCheckpoint = true
        guard !session.checkpointIsOverdue else {
            session.checkpointIsOverdue = false
            return checkpointsDue.prepend((context.clock.monotonic(), id))
        }
        let at = context.clock.monotonic().adding(milliseconds: configuration.checkpointMilliseconds)
        checkpointsDue.append((at, id))
    }

    /// Checkpoints follow the last delta by a second (rule S9); under steady change, one a second.
    func sendCheckpoints() {
        guard isFresh else { return }
        let now = context.clock.monotonic()
        while let due = checkpointsDue.first, due.at <= now {
            checkpointsDue.removeFirst()
            guard let session = sessions[due.session] else { continue }
            session.awaitsCheckpoint = false
            if let user = users[session.identity.user],
                let checkpoint = session.subscription.checkpoint(&user.state)
            {
                deliveries.add(.control(frame: FrameCodec.frame(checkpoint)), to: session.handle)
            } else if sessionsByUser[session.identity.user] != nil {
                // Where memory is short the user may leave it again within the second: as soon as he is back, then.
                session.checkpointIsOverdue = users[session.identity.user] == nil
                wanted.insert(session.identity.user)
            }
        }
    }
}
