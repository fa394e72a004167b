import FocusCore

import struct FocusCore.Cursor

extension SyncClient {
    /// Feeds the session and performs the actions that it returns, in order, until there are none left.
    func perform(_ feed: (inout ClientSession) -> [ClientAction]) {
        guard var current = session, fatal == nil else { return }
        var actions = feed(&current)
        session = current
        var next = 0
        do {
            while next < actions.count {
                actions += try perform(actions[next])
                next += 1
            }
            if activityWaits, session?.mayReport == true { reportActivityAgain() }
        } catch {
            // The store failed: going on would lose what it could not keep.
            fatal = .store("\(error)")
            connection?.close()
        }
        schedule()
    }

    /// - Returns: the actions that the session returns for the answer.
    private func perform(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .send(let message): connection?.send(message)
        case .sendAppend(let after, let maximumBytes): return try sendAppend(after, maximumBytes)
        case .acknowledge(let appended):
            try resolveAppends(store.acknowledge(appended, clock: configuration.clock()))
        case .beginHealing, .sendHealing, .keepHealed, .endHealing: return try performHealing(action)
        case .beginRecalling, .sendRecall, .keepRecalled, .endRecalling: return try performRecalling(action)
        case .beginIncarnation(let reason):
            try store.beginIncarnation(
                offersHeld: reason.isOfSameLog, isEnded: reason == .ended,
                clock: configuration.clock())
            try publishConfirmed([])
            configuration.onUpdate(.newIncarnation(reason))
        case .beginStaging: try store.beginStaging()
        case .stage(let rows): try store.stage(rows)
        case .finishSnapshot(let cursor, let collections):
            try applied(store.finishSnapshot(cursor, replacing: collections), cursor, isSnapshot: true)
        case .finishDelta(let cursor): try applied(store.finishDelta(cursor), cursor)
        case .apply(let rows, let cursor): try applied(store.apply(rows, cursor), cursor)
        case .compare(let cursor, let digests): return try compare(cursor, digests)
        case .peers(let statuses): receive(statuses)
        case .getToken: renewToken()
        case .report(let notice):
            try report(notice)
            if case .welcomed(let welcome) = notice { return resumeFetches(welcome) }
        case .fetched(let fetched): return resolveFetch(fetched)
        case .fetchFailed(let request, let error): return failFetch(request, error)
        case .end(let end):
            ending = ending ?? end
            connection?.close()
        }
        return []
    }

    /// The server answered events, and the store has kept the outcomes: tells everyone who waits for them.
    func resolveAppends(_ outcomes: [AppendOutcome]) throws {
        try publishOutcomes(outcomes)
        configuration.onUpdate(.acknowledged(outcomes))
        submissions.resolve(outcomes)
        checkWaiters()
    }

    private func sendAppend(_ after: DeviceSequence, _ maximumBytes: Int) throws -> [ClientAction] {
        let events = try store.queued(after: after, maximumBytes: maximumBytes)
        guard let first = events.first, let last = events.last, first.sequence == after.next else {
            throw DeviceStoreError.damaged("event \(after.next) is not in the queue")
        }
        connection?.send(
            .append(AppendRequest(firstSequence: first.sequence, envelopes: events.map(\.envelope))))
        return session?.appendSent(after: after, through: last.sequence) ?? []
    }

    private func applied(_ changes: [RowChange], _ cursor: Cursor, isSnapshot: Bool = false) throws {
        verifiedWelcome = nil
        if hasRows { try publishRings(changes) }
        hasRows = true
        try publishConfirmed(changes)
        configuration.onUpdate(.rows(changes, cursor, isSnapshot: isSnapshot))
        checkWaiters()
    }

    /// Compares the digests of the device's rows with the server's. The first checkpoint of each connection is compared
    /// with the rows themselves, hashed anew, later ones with the running digests.
    private func compare(_ cursor: Cursor, _ digests: [CollectionDigest]) throws -> [ClientAction] {
        let isFirst = verifiedOnce.insert(welcomes).inserted
        if isFirst { verifiedOnce = [welcomes] }
        let own = try isFirst ? store.recomputedDigests() : store.digests()
        let differing = Divergence.between(own, digests)
        if differing.isEmpty, try store.cursor != cursor {
            try store.advance(to: cursor)
            try publishConfirmed([])
        }
        return session?.compared(cursor, differing: differing) ?? []
    }

    private func report(_ notice: ClientNotice) throws {
        switch notice {
        case .welcomed(let welcome):
            welcomes += 1
            tokenMayBeOld = true
            try observeTime(welcome)
            try store.enter(welcome.log)
            configuration.onUpdate(.connected(welcome))
            watchAgain()
            reportActivityAgain()
        case .appendsDelayed(let error, let milliseconds):
            lastProblem = "\(error.code.rawValue): \(error.message)"
            configuration.onUpdate(.appendsDelayed(error, milliseconds: milliseconds))
        case .recallWaits:
            lastProblem = "Events wait for a server that knows protocol 2, to ask it what it has of them (rule P10)."
            configuration.onUpdate(.recallWaits)
        case .serverError(let error):
            if error.code == .unknownMessage { activityIsUnknown = true }
            // The server refused a token in the session, and goes on with the one before: at its end another may help.
            if error.code == .unauthenticated { tokenMayBeOld = true }
            configuration.onUpdate(.serverError(error))
        case .diverged(let collections):
            divergence.formUnion(collections)
            configuration.onUpdate(.diverged(collections))
        case .tokenExpires(let milliseconds):
            // Whatever token this is about, the server has accepted it.
            tokenMayBeOld = true
            configuration.onUpdate(.tokenExpires(inMilliseconds: milliseconds))
        case .stillDiverged(let collections):
            divergence.formUnion(collections)
            configuration.onUpdate(.diverged(collections))
            waiters.failVerified(SyncClientError.diverged(divergence.sorted()))
        case .verified(let cursor):
            verifiedWelcome = welcomes
            backoff.succeeded()
            configuration.onUpdate(.verified(cursor))
            checkWaiters()
        }
    }

    private func observeTime(_ welcome: Welcome) throws {
        time.observe(welcome.serverTime, asked: helloSentAt)
        let reading = ClockReading(
            serverTime: welcome.serverTime, latest: time.latest(at: DeviceTime.uptime) ?? welcome.serverTime,
            clock: configuration.clock())
        if try store.observe(reading, logged: welcome.lastSequence) { try publishConfirmed([]) }
    }

    func checkWaiters() {
        waiters.check { condition in
            switch condition {
            // Whoever waits may leave then, and the log is to have what this store gives back to it (rule S6).
            case .verified(let number): try verifiedWelcome.map { $0 >= number } ?? false && !store.isHealing
            case .version(let version): try store.cursor.map { $0.version >= version } ?? false
            case .rows(let isTrue): try isTrue(store)
            }
        }
    }
}
