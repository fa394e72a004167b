import FocusCore
import FocusWire

@testable import FocusSyncClient

/// Performs the session's actions as `SyncClient+Actions` does, one transaction of the store at a time; the process may
/// die between any two of them.
extension SimulatedDevice {
    func perform(_ feed: (inout ClientSession) -> [ClientAction]) {
        guard var current = session else { return }
        var actions = feed(&current)
        session = current
        var next = 0
        do {
            while next < actions.count {
                actions += try perform(actions[next])
                next += 1
            }
        } catch is Died {
            return die()
        } catch {
            return simulation.witness.fail("\(self): the store fails: \(error)")
        }
        if let ending { end(ending) }
        scheduleTick()
    }

    /// Runs a transaction of the store; the process may die before or after it.
    func commit<T>(_ body: () throws -> T) throws -> T {
        if random.once(in: simulation.faults.deviceDies) { throw Died() }
        let result = try body()
        if random.once(in: simulation.faults.deviceDies) { throw Died() }
        return result
    }

    private func perform(_ action: ClientAction) throws -> [ClientAction] {
        switch action {
        case .send(let message):
            if case .heal(.lost(let lost)) = message { try declares(lost) }
            link?.send(FrameCodec.frame(message))
        case .sendAppend(let after, let maximumBytes): return try sendAppend(after, maximumBytes)
        case .acknowledge(let appended):
            try commit {
                let outcomes = try storage.acknowledge(appended, clock: clock)
                record.acknowledged(
                    outcomes, try storage.incarnation, history: history, simulation.witness, self)
            }
        case .beginIncarnation(let reason): try beginIncarnation(reason)
        case .beginStaging: try commit { try storage.beginStaging() }
        case .stage(let rows): try commit { try storage.stage(rows) }
        case .finishSnapshot(let cursor, let collections):
            try applied(cursor, isPartial: !collections.isEmpty, isSnapshot: collections.isEmpty) {
                try storage.finishSnapshot(cursor, replacing: collections)
            }
        case .finishDelta(let cursor): try applied(cursor) { try storage.finishDelta(cursor) }
        case .apply(let rows, let cursor): try applied(cursor) { try storage.apply(rows, cursor) }
        case .compare(let cursor, let digests): return try compare(cursor, digests)
        case .getToken: renewToken()
        case .report(let notice): try report(notice)
        case .beginHealing, .sendHealing, .keepHealed, .endHealing: return try performHealing(action)
        case .beginRecalling(let reason) where isOld: try beginAnew(reason)
        case .beginRecalling, .sendRecall, .keepRecalled, .endRecalling: return try performRecalling(action)
        case .peers(let statuses): receive(statuses)
        case .fetched, .fetchFailed: preconditionFailure("no simulated device fetches")
        case .end(let end): ending = ending ?? end
        }
        return []
    }

    private func beginIncarnation(_ reason: IncarnationReason) throws {
        simulation.trace("\(self) begins an incarnation: \(reason)")
        try commit {
            try storage.beginIncarnation(drawIncarnation(), offersHeld: reason.isOfSameLog, isEnded: reason == .ended)
            record.leaves(reason, history: latestHistory, simulation.witness, self)
            try noteHeld()
        }
    }

    /// Libraries from before rule P10 append everything again in a new incarnation; the log recognises repeats by the
    /// event ids it remembers.
    private func beginAnew(_ reason: IncarnationReason) throws {
        try beginIncarnation(reason)
        ending = ending ?? .reconnect(milliseconds: 0...0, cause: nil)
    }

    private func sendAppend(_ after: DeviceSequence, _ maximumBytes: Int) throws -> [ClientAction] {
        // Small frames, so that several are under way at once.
        let events = try storage.queued(
            after: after, maximumBytes: min(maximumBytes, simulation.plan.bulk > 0 ? 8_000 : 400))
        guard let first = events.first, let last = events.last, first.sequence == after.next else {
            simulation.witness.fail("\(self): event \(after.next) is not in the queue")
            return []
        }
        let request = AppendRequest(firstSequence: first.sequence, envelopes: events.map(\.envelope))
        link?.send(request)
        return session?.appendSent(after: after, through: last.sequence) ?? []
    }

    /// Commits rows and cursor together; from then on the rows must be those of the log at the cursor's version.
    private func applied(
        _ cursor: Cursor, isPartial: Bool = false, isSnapshot: Bool = false, _ body: () throws -> Void
    ) throws {
        verified = nil
        try commit {
            try body()
            isAhead = isPartial
            if try storage.cursor != cursor { simulation.witness.fail("S3: \(self) stores rows without their cursor") }
            if isSnapshot { record.holdsRows(of: history) }
            if !isPartial { try compareRows(cursor) }
        }
    }

    /// Compares the rows with the log, unless they belong to a history that the log has lost, or may be of a read model
    /// that is wrong.
    private func compareRows(_ cursor: Cursor) throws {
        guard record.rowsOf == simulation.history,
            !simulation.witness.mayBeAltered(user, at: cursor, in: view(of: cursor))
        else { return }
        record.compare(try storage.confirmed(), cursor, simulation.witness, self)
    }

    private func compare(_ cursor: Cursor, _ digests: [CollectionDigest]) throws -> [ClientAction] {
        compared = cursor
        let own = try hasCompared ? storage.digests() : storage.recomputedDigests()
        hasCompared = true
        let differing = Divergence.between(own, digests)
        if differing.isEmpty, try storage.cursor != cursor { try commit { try storage.advance(to: cursor) } }
        return session?.compared(cursor, differing: differing) ?? []
    }

    private func report(_ notice: ClientNotice) throws {
        switch notice {
        case .welcomed(let welcome):
            time.observe(welcome.serverTime, asked: helloSentAt)
            let reading = ClockReading(
                serverTime: welcome.serverTime, latest: time.latest(at: uptime) ?? welcome.serverTime, clock: clock)
            try commit { try storage.observe(reading, logged: welcome.lastSequence) }
            if !watched.isEmpty { sendWatch(watched.sorted()) }
        case .diverged where record.rowsOf < latestHistory:
            // Rule S9: the log lost the rows that the cursor stands for and by chance has the cursor's event again; the
            // digest reveals the difference.
            simulation.trace("\(self) is put right by a digest")
        case .diverged, .stillDiverged:
            // Servers hold what they were loaded from, before or after it was altered.
            if let compared, simulation.witness.mayBeAltered(user, at: compared, in: view(of: compared)) { return }
            simulation.witness.fail("S9: \(self) differs from the server at \(compared.debugDescription)")
        case .verified(let cursor):
            verified = cursor
            isAhead = false
            record.holdsRows(of: history)
            try compareRows(cursor)
            succeeded()
        case .serverError(let error) where error.code != .unauthenticated:
            simulation.witness.fail("\(self) is told \(error)")
        case .appendsDelayed, .recallWaits, .tokenExpires, .serverError: break
        }
    }
}
