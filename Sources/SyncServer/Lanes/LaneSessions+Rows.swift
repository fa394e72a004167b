import FocusCore
import FocusWire

extension LaneSessions {
    /// Sends rows to the sessions that await them and whose users are in memory. Sessions of quarantined users end with
    /// an error.
    func sendAwaited(_ users: some UserDirectory) {
        guard isFresh else { return }
        // Who append send pages before this, and may have had all that the turn has.
        pages = max(pages, (context.configuration.pagesPerTurn + 1) / 2)
        var late: Set<UserID> = []
        for id in plan.dequeueUsers(at: now, where: { !users.isAwaitingLoad($0) || !open.hasSessions(of: $0) }) {
            if pages <= 0 { late.insert(id) }
            let since = plan.takeBeginning(of: id)
            if let user = users[id] {
                sendToAll(of: user, since: since)
            } else {
                let error = ProtocolError.userQuarantined(milliseconds: users.quarantineRest(of: id, now: now))
                for session in open.sessions(of: id) { fail(session.handle, error) }
            }
        }
        plan.keepTurns(of: late)
    }

    /// Sends every session of the user the rows that it was not sent yet. Where these are many, some have theirs now and
    /// the others after a pause, in turns: to write to them all takes milliseconds in which nobody else is heard (rule
    /// Q1), and what changes meanwhile goes out with the same frame.
    /// - Parameter since: when the lane heard of what they tell; nil where nobody measures.
    func sendToAll(of user: CachedUser, since: PreciseTime? = nil) {
        let sessions = open.sessions(of: user.id)
        user.deltas = sessions.count > 1 ? DeltaFrames() : nil
        if sessions.count > context.configuration.sessionsAtOnce {
            sendInTurns(to: sessions, user, since)
        } else {
            for session in sessions { send(to: session, user, since: since) }
        }
        user.deltas = nil
    }

    private func sendInTurns(to sessions: [LaneSession], _ user: CachedUser, _ since: PreciseTime?) {
        guard isFresh, !plan.isPaused(user.id, at: now) else { return awaitRows(user.id, since: since) }
        let configuration = context.configuration
        var (served, isUnfinished): ([LaneSession], Bool) = ([], false)
        for session in sessions where isOwed(session, user) {
            guard served.count < configuration.sessionsAtOnce else {
                plan.pause(user.id, until: now.adding(milliseconds: configuration.sessionsPauseMilliseconds))
                isUnfinished = true
                break
            }
            // Who needs a page where none is left keeps their turn.
            if hasRoom(for: session, dear: dearPages(session, user)) {
                send(to: session, user, since: since)
                served.append(session)
            } else {
                isUnfinished = true
            }
        }
        open.hadTurns(served, of: user.id)
        if isUnfinished { awaitRows(user.id) }
    }

    /// Whether the session is to be sent rows and can be, or is to have a checkpoint planned.
    private func isOwed(_ session: LaneSession, _ user: CachedUser) -> Bool {
        session.isBehind(user)
            ? session.handle.quota.hasRoom() : session.subscription.owesCheckpoint && !plan.isPlanned(session.handle.id)
    }

    /// Whether the turn has room for the session's next page. Pages go on with the next turn, behind what others append;
    /// a delta that fits one page does not wait.
    /// - Parameter dear: see `dearPages`.
    private func hasRoom(for session: LaneSession, dear: Int) -> Bool {
        pages > 0 || session.subscription.liveVersion != nil && dear == 0
    }

    /// Sends the session the rows that it was not sent yet, as far as its quota has room (rule L1). While rows may not
    /// be sent, the session awaits them.
    /// - Parameter since: when the lane heard of what they tell; nil: they are no news.
    func send(to session: LaneSession, _ user: CachedUser, since: PreciseTime? = nil) {
        guard isFresh else { return awaitRows(user.id) }
        session.knownDigests = nil
        while session.isBehind(user), session.handle.quota.hasRoom() {
            let dear = dearPages(session, user)
            guard hasRoom(for: session, dear: dear) else {
                awaitRows(user.id)
                break
            }
            pages -= dear
            for frame in session.nextFrames(of: user) {
                deliveries.addRows(frame, to: session.handle, since: since)
                guard frame.count > context.configuration.pageBytes / 2 else { continue }
                pages -= 1
                // A large page leaves at once, so that it is written while the next one is made.
                deliveries.send()
            }
        }
        awaitCheckpoint(session, isCurrent: !session.isBehind(user))
    }

    /// How many pages the session's next one counts for, beside its own size: it may look at all rows that one event
    /// changed and find none to send. One that was made for another session looks at nothing.
    private func dearPages(_ session: LaneSession, _ user: CachedUser) -> Int {
        let dear = user.reading { session.subscription.rowsOfNextPage($0) } / context.configuration.rowsPerPage
        return dear > 0 && session.nextIsMade(user) ? 0 : dear
    }

    /// Begins a turn, which has room for so many pages.
    func beginTurn() { pages = context.configuration.pagesPerTurn }

    // MARK: Checkpoints

    /// Plans a checkpoint for the session, if anything was sent since the last one: at once when its device has, for
    /// the first time, all that there is, and later some time after the first rows since the last one (rule S9).
    /// - Parameter isCurrent: whether everything was sent. Until the device has what there was when it came, no
    ///   checkpoint is planned, and none that is overdue: what sends the last rows asks for it. Otherwise a
    ///   device that takes nothing keeps the lane busy all the time.
    func awaitCheckpoint(_ session: LaneSession, isCurrent: Bool) {
        guard session.subscription.owesCheckpoint,
            isCurrent || !(session.isCatchingUp || plan.isOverdue(session.handle.id))
        else { return }
        let wait = session.isCatchingUp ? 0 : context.configuration.checkpointMilliseconds
        session.isCatchingUp = false
        plan.awaitCheckpoint(session.handle.id, now: now, after: wait)
    }

    /// So many rows are hashed in some 50 microseconds: what is ready to be sent waits for these, and so do users who
    /// have more of them.
    private static let fewRows = 100
    /// How many sessions of users with more rows a turn passes over. It looks at each of them again.
    static let passedLimit = 256

    /// Sends the checkpoints that are due (rule S9). What the turn has no room for follows with the next one.
    /// - Returns: the users whose states have made digests.
    func sendCheckpoints(_ users: some UserDirectory) -> [UserID] {
        guard isFresh else { return [] }
        let now = now
        var digested: [UserID] = []
        var (unfinished, passed): (DeliveryPlan.Checkpoint?, [DeliveryPlan.Checkpoint]) = (nil, [])
        let before = halfHashed
        halfHashed = nil
        // Users with few rows to hash have room of their own, so that they do not wait for those with many.
        var room = context.configuration.hashedBytesPerTurn
        var roomForFew = room / 4
        while roomForFew > 0, passed.count < Self.passedLimit, let due = plan.dequeueCheckpoint(due: now) {
            guard let session = open[due.session] else { continue }
            if let user = users[session.identity.user], !session.isBehind(user) {
                let hasMany = user.id == before?.user || user.reading { $0.unhashedRows } > Self.fewRows
                guard !hasMany || room > 0 else {
                    passed.append(due)
                    continue
                }
                // What is ready leaves before many rows are hashed, which takes a while.
                if hasMany { deliveries.send() }
                guard hasMany ? hash(user, room: &room) : hash(user, room: &roomForFew) else {
                    if halfHashed == nil { unfinished = leave(due, of: user, before) } else { passed.append(due) }
                    continue
                }
            }
            if sendCheckpoint(to: session, users) { digested.append(session.identity.user) }
        }
        plan.putBack(passed, behind: unfinished)
        return digested
    }

    /// Hashes rows of the user as far as there is room.
    /// - Returns: whether none is left to hash.
    private func hash(_ user: CachedUser, room: inout Int) -> Bool {
        room -= user.state.prepareDigests(limitBytes: room)
        return room > 0
    }

    /// The first whose rows do not fit goes on with the next turn, and stays in memory until then.
    /// - Parameter before: whose rows were left by the turn before.
    /// - Returns: the checkpoint, to be put back; nil when the user's rows change as fast as they are hashed: it is
    ///   planned anew, so that others have a turn.
    private func leave(
        _ due: DeliveryPlan.Checkpoint, of user: CachedUser, _ before: HalfHashed?
    ) -> DeliveryPlan.Checkpoint? {
        let rows = user.reading { $0.unhashedRows }
        if let before, before.user == user.id, rows >= before.rows {
            plan.awaitCheckpoint(due.session, now: now, after: context.configuration.checkpointMilliseconds)
            return nil
        }
        halfHashed = HalfHashed(user: user.id, rows: rows)
        return due
    }

    /// Sends the session its checkpoint, or has its user loaded for it.
    /// - Returns: whether the user's state has made digests.
    private func sendCheckpoint(to session: LaneSession, _ users: some UserDirectory) -> Bool {
        let user = users[session.identity.user]
        if let user, let checkpoint = session.subscription.checkpoint(&user.state) {
            deliveries.add(.control(frame: FrameCodec.frame(checkpoint)), to: session.handle)
            return true
        }
        if user == nil, let digests = session.knownDigests, let checkpoint = session.subscription.checkpoint(digests) {
            session.knownDigests = nil
            deliveries.add(.control(frame: FrameCodec.frame(checkpoint)), to: session.handle)
            return false
        }
        // Where memory is short, the user may be evicted before their checkpoint is due; and one of many sessions may
        // be behind whenever it is.
        plan.checkpointIsOverdue(session.handle.id)
        awaitRows(session.identity.user)
        return false
    }
}
