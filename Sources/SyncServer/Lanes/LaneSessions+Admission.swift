import EventStore
import FocusCore

/// Looks up which event has a version of a user's stream; nil when the log has none.
typealias EventLookup = (CachedUser, Version) throws -> EventID?

extension LaneSessions {
    /// The partitions to catch up with before the waiting connections are admitted. A cursor that is ahead of its
    /// user's state may rest on another server's commit that the lane does not know yet. Only if the log does not have
    /// it either is it taken for lost (rule S6).
    func partitionsBehindCursors(_ users: some UserDirectory) -> Set<Partition> {
        var partitions: Set<Partition> = []
        for opening in open.waiting.lazy.map(\.opening) {
            guard let user = users[opening.identity.user], let cursor = opening.cursor,
                cursor.log == context.log.log, isAhead(cursor, of: user, opening)
            else { continue }
            partitions.insert(user.partition)
        }
        return partitions
    }

    /// What the session sees, by the log's format (rule Z1).
    private func view(of opening: SessionOpening) -> View {
        context.format.isSilent ? opening.view.silenced : opening.view
    }

    /// What a cursor's version counts.
    private enum Counting {
        case eventsOfUser
        /// Changes of what an app sees (rule Z1).
        case streamOfApp
        /// Another view's: nothing that could be compared.
        case unknown
    }

    /// A cursor of an app's session may be older than the format by which the app's stream is counted. It may also come
    /// from another server that heard of the format before this one did.
    private func counting(_ cursor: Cursor, _ opening: SessionOpening) -> Counting {
        let view = view(of: opening)
        switch cursor.view {
        case view.hash: return view.isSilent ? .streamOfApp : .eventsOfUser
        case opening.view.hash: return .eventsOfUser
        default: return opening.identity.scope == .system ? .eventsOfUser : .unknown
        }
    }

    /// Whether the log lacks what the cursor names, because it ends before.
    private func isAhead(_ cursor: Cursor, of user: CachedUser, _ opening: SessionOpening) -> Bool {
        switch counting(cursor, opening) {
        case .eventsOfUser: cursor.version > user.state.version
        case .streamOfApp: cursor.version > user.reading { $0.head(of: view(of: opening)).version }
        case .unknown: false
        }
    }

    /// Whether the opening's cursor may turn out to be current: one of another view or another log is not.
    func mayBeCurrent(_ opening: SessionOpening) -> Bool {
        opening.cursor.map { $0.log == context.log.log && $0.view == view(of: opening).hash } ?? false
    }

    /// The users for whom connections wait, each with the cursors that may be admitted by an outline of the user; nil
    /// where some may not.
    var openings: [UserID: [Cursor]?] {
        var openings: [UserID: [Cursor]?] = [:]
        for connection in open.waiting {
            let user = connection.opening.identity.user
            if !connection.needsLoad, let cursor = connection.opening.cursor {
                openings[user, default: []]?.append(cursor)
            } else {
                openings[user] = .some(nil)
            }
        }
        return openings
    }

    /// Admits the connections that wait, or refuses them. Those whose users are to be loaded first go on waiting.
    /// - Parameter event: asks the log.
    func admit(_ users: some UserDirectory, event: EventLookup) {
        for var connection in open.dequeueWaiting() {
            let (handle, opening) = (connection.handle, connection.opening)
            let id = opening.identity.user
            if !users.isAwaitingLoad(id) {
                guard let user = users[id] else {
                    fail(handle, quarantine(of: id, users))
                    continue
                }
                guard let session = admit(handle, opening, user, from: { start(opening, user, event) }) else {
                    continue
                }
                send(to: session, user)
            } else if let outline = users.outline(of: id) {
                guard isCurrent(opening, outline.user) else {
                    connection.needsLoad = true
                    open.enqueue(connection)
                    continue
                }
                guard let session = admit(handle, opening, outline.user, from: { (opening.cursor, false) }) else {
                    continue
                }
                session.knownDigests = outline.digests.digests(in: session.subscription.view)
                awaitCheckpoint(session, isCurrent: true)
            } else {
                open.enqueue(connection)
            }
        }
    }

    /// Whether the device has all that its view holds.
    private func isCurrent(_ opening: SessionOpening, _ user: CachedUser) -> Bool {
        guard let cursor = opening.cursor else { return false }
        let view = view(of: opening)
        return user.reading {
            Subscription.accepts(cursor, view: view, log: context.log.log, state: $0)
                && cursor.version == $0.head(of: view).version
        }
    }

    /// - Parameter start: where the session's rows begin, as `start` says.
    /// - Returns: the session; nil when the connection was refused.
    private func admit(
        _ handle: SessionHandle, _ opening: SessionOpening, _ user: CachedUser,
        from start: () -> (cursor: Cursor?, logIsBehind: Bool)?
    ) -> LaneSession? {
        let identity = opening.identity
        guard !user.state.isRevoked(identity.device) else {
            revoked.append((handle, user.partition))
            return nil
        }
        user.lastUsed = now.milliseconds
        let status = user.state.status(of: opening.incarnation, device: identity.device, scope: identity.scope)
        guard status.standing != .foreign else {
            fail(handle, .incarnationOfAnotherScope)
            return nil
        }
        guard let start = start() else {
            fail(handle, .cursorUnconfirmed)
            return nil
        }
        if let other = open.session(of: identity, opening.incarnation) {
            // Rule P8: Hellos may come here in another order than their connections were accepted, as checks of tokens
            // take their time. The connection that was accepted later has the higher id, and is the newer one.
            guard other.handle.id < handle.id else {
                deliveries.add(.goAway(.superseded), to: handle)
                return nil
            }
            end(other, .superseded)
        }
        let view = view(of: opening)
        guard open.hasRoom(for: identity, context.configuration) else {
            deliveries.add(.goAway(.tooMany), to: handle)
            return nil
        }
        let session = LaneSession(
            handle: handle, identity: identity, incarnation: opening.incarnation,
            protocolVersion: opening.protocolVersion,
            subscription: Subscription(
                view: view, log: context.log.log, resumingAt: start.cursor,
                pageBytes: context.configuration.pageBytes),
            openedAt: now, lastSequence: status.last)
        open.insert(session)
        let began: SessionStart = start.cursor != nil ? .cursor : opening.cursor == nil ? .first : .snapshot
        deliveries.meter.counts.starts[began, default: 0] += 1
        let opened = SessionOpened(
            log: context.log.log, lastSequence: status.last, lastEvent: status.lastEvent,
            isEnded: status.standing == .own(isEnded: true), logIsBehind: start.logIsBehind)
        deliveries.add(.opened(opened), to: handle)
        return session
    }

    /// Where the session's rows begin: at its cursor, if it can be continued from (rules S4, S5), or with a snapshot,
    /// when the result has no cursor. `logIsBehind` says that the cursor names an event that the log has lost (rule
    /// S6). Nil when the log cannot be asked.
    private func start(
        _ opening: SessionOpening, _ user: CachedUser, _ event: EventLookup
    ) -> (cursor: Cursor?, logIsBehind: Bool)? {
        guard let cursor = opening.cursor, cursor.log == context.log.log else { return (nil, false) }
        guard !isAhead(cursor, of: user, opening) else { return (nil, true) }
        let view = view(of: opening)
        switch counting(cursor, opening) {
        case .unknown: return (nil, false)
        case .streamOfApp:
            guard user.reading({ $0.mayContinue(cursor.version, cursor.event, in: view) }) else { return (nil, true) }
        case .eventsOfUser:
            do {
                let isLast = cursor.version == user.state.version
                let last = cursor.version > .zero && !isLast ? try event(user, cursor.version) : user.state.lastEvent
                guard cursor.version == .zero || last == cursor.event else { return (nil, true) }
            } catch {
                // A snapshot would take the place of the cursor, and with it of what shows that the log lost events.
                return nil
            }
        }
        let isAccepted = Subscription.accepts(cursor, view: view, log: context.log.log, state: user.state)
        return (isAccepted ? cursor : nil, false)
    }

    /// Answers the connections of revoked devices. To be told that it is revoked makes a device erase what it holds,
    /// which cannot be taken back. So it is told when the log is known to keep the revocation (rule P1), and to come
    /// again else.
    /// - Parameter isKept: whether the log keeps all that the lane knows of these partitions.
    func answerRevoked(_ isKept: (Set<Partition>) throws -> Bool) rethrows {
        guard !revoked.isEmpty else { return }
        let waiting = revoked
        revoked = []
        // A primary that may be none any more would keep the lane waiting for its standby.
        let answer: SessionDelivery =
            try isFresh && isKept(Set(waiting.map(\.partition))) ? .refusedAsRevoked : .failed(.revocationUnconfirmed)
        for connection in waiting { deliveries.add(answer, to: connection.handle) }
    }

    /// Ends the connection with an error.
    func fail(_ handle: SessionHandle, _ error: ProtocolError) { deliveries.add(.failed(error), to: handle) }

    private func quarantine(of user: UserID, _ users: some UserDirectory) -> ProtocolError {
        .userQuarantined(milliseconds: users.quarantineRest(of: user, now: now))
    }
}
