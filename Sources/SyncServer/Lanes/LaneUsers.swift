import EventStore
import FocusCore
import Logging

/// The users of a lane: who is in memory or is being loaded, when something falls due for each, and of whom the read
/// model lacks events. These change together, and here alone.
///
/// Flow: news of the log (`LogNews`) → states are folded, scheduled and marked for the read model → news for sessions
/// and watchers (`UserNews`).
final class LaneUsers {
    private(set) var resident: ResidentUsers
    var loads = PendingLoads()
    /// See `LaneUsers+Outlines`.
    var outlines: [UserID: OutlinedUser] = [:]
    /// When something falls due for users; see `LaneUsers+Due`.
    var due = DueSchedule()
    var backlog: ProjectionBacklog
    /// How many users were quarantined since the server started.
    private(set) var quarantines = 0
    /// How many users left memory since then, because others needed the room.
    private(set) var evictions = 0
    let context: LaneContext
    private let tell: (UserNews) -> Void

    var configuration: LaneConfiguration { context.configuration }
    private var now: MonotonicTime { context.clock.monotonic() }

    /// - Parameters:
    ///   - partitions: those that the lane owns.
    ///   - tell: called with what sessions and watchers are to hear.
    init(_ context: LaneContext, _ partitions: [Partition], tell: @escaping (UserNews) -> Void) {
        (self.context, self.tell) = (context, tell)
        resident = ResidentUsers(limit: context.configuration.cacheBytes)
        backlog = ProjectionBacklog(partitions, now: context.clock.monotonic())
    }

    /// When to look for users who are due, to make a batch for the read model, or to ask for users next, whichever is
    /// earliest; nil when none of these is planned.
    var nextDeadline: MonotonicTime? {
        let write = backlog.nextWrite(pauseMilliseconds: configuration.pauseMilliseconds)
        return [write, nextLook, loads.nextQuestion].compactMap(\.self).min()
    }

    // MARK: Coming and going

    /// Sees to it that those of the users who are neither in memory nor quarantined are loaded.
    func need(_ ids: some Sequence<UserID>) {
        for id in resident.awaitingLoad(ids) { loads.need(id) }
    }

    /// Whether what needs the user has to wait for an answer of the loader.
    func isLoading(_ id: UserID) -> Bool { loads.contains(id) }

    /// Drops a state that may not be what the log has, or that others have overtaken. The user is loaded again when
    /// they are needed, and their sessions await the rows that they were not sent.
    /// - Parameter isLogged: false when the state may hold events that are not in the log: what they revoke is not
    ///   revoked, and nobody is cut off for it.
    func forget(_ id: UserID, isLogged: Bool = true) {
        due.forget(id)
        guard let user = resident[id] else { return }
        if isLogged { leaves(user) }
        resident.remove(id)
        tell(.left(id))
    }

    /// Tells that a state is about to leave memory which knows of revoked devices. A state that is evicted needs no call:
    /// sessions were looked at when its last events were folded.
    private func leaves(_ user: CachedUser) {
        if user.state.hasRevokedDevices { tell(.forgetsRevocations(user)) }
    }

    /// Drops the states of all users in memory, and of those who are being loaded: they may hold events that are not in
    /// the log.
    func forgetAll() {
        for user in resident.all { forget(user.id, isLogged: false) }
        outlines = [:]
        loads.restart()
    }

    /// Begins as after a restart, because the log lost events: no state stays that was folded from them. The backlog
    /// begins again with `LaneLog.begin`.
    func startOver() {
        (resident, due, outlines) = (ResidentUsers(limit: configuration.cacheBytes), DueSchedule(), [:])
        loads.removeAll()
        backlog.forgetAwaited()
    }

    /// Quarantines a user who cannot be loaded or folded, so that they disturb nobody else. Their watchers are told
    /// that nothing is known of them.
    /// - Parameter isLogged: as of `forget`.
    func quarantine(_ id: UserID, _ error: any Error, isLogged: Bool = true) {
        context.logger.error("user quarantined", metadata: ["user": "\(id)", "error": "\(error)"])
        quarantines += 1
        if isLogged, let user = resident[id] { leaves(user) }
        resident.quarantine(id, until: now.adding(milliseconds: configuration.quarantineMilliseconds))
        due.forget(id)
        arrived(id, context.log.partition(of: id))
        tell(.visibilityChanged(id))
    }

    /// Ends the quarantines whose time is over: the user is loaded again when they are needed.
    func endQuarantines() {
        // Watchers were told that nothing is known of the user, so they are to be told anew.
        for id in resident.endQuarantines(now: now) { tell(.visibilityChanged(id)) }
    }

    /// Keeps the states in memory within their bound (`LaneConfiguration.cacheBytes`). Sessions of an evicted user have
    /// what they were sent, and need the state again only for more.
    /// - Parameter kept: stays in any case.
    /// - Returns: states of evicted users that take long to free.
    func evict(except kept: UserID? = nil) -> [UserState] {
        let evicted = resident.evict(beside: loads.handedBytes) {
            $0.id == kept || backlog.keeps($0.id, of: $0.partition)
        }
        evictions += evicted.count
        for user in evicted { forgetDueTime(of: user.id, user.partition) }
        return evicted.filter { $0.countedBytes > Self.quicklyFreedBytes }.map { $0.giveUpState() }
    }

    /// A state of so many bytes is freed in some ten microseconds.
    private static let quicklyFreedBytes = 64 * 1024

    /// Counts the bytes of a user anew whose dirty rows have changed.
    func recount(_ user: CachedUser) { resident.recount(user) }

    // MARK: The log

    func hear(_ news: LogNews) {
        switch news {
        case .followed(let event): follow(event)
        case .caughtUp(let users):
            backlog.grew(at: now)
            for id in users { resident[id].map { tell(.caughtUp($0)) } }
        case .skipped(let user, let partition): skip(user, in: partition)
        case .committed(let batch):
            backlog.grew(at: now)
            backlog.markDirty(batch)
        case .loaded(let user, let id, let partition): keep(user, id, partition)
        case .outlined(let outline, let id, let partition): keep(outline, id, partition)
        case .outdated(let id, let elsewhere):
            loads.again(id, elsewhere: elsewhere, inFull: !elsewhere)
            if elsewhere { loads.rest(until: now.adding(milliseconds: configuration.pollMilliseconds)) }
        case .unloadable(let id, let error):
            _ = loads.remove(id)
            quarantine(id, error)
        case .readModelStands(let partition, let checkpoint, let lacking):
            backlog.begin(partition, at: checkpoint, lacking: lacking)
        case .checkpointRegressed(let partition, let checkpoint, let lacking):
            outlines = [:]
            backlog.regress(partition, to: checkpoint, lacking: lacking)
            for user in lacking { forget(user.user) }
            // A load may have seen rows that the read model has lost since.
            outdateLoads(of: partition)
        case .laggards(let users, let partition): backlog.add(users, of: partition)
        case .readModelIsAnother:
            outlines = [:]
            backlog.beginEpoch()
            loads.outdate { _ in true }
        case .connectionIsAnother: loads.reconnect()
        case .serverIsAnother: loads.leaveServer()
        case .generationChanges(let partition, let changed):
            outlines = [:]
            outdateLoads(of: partition)
            for user in resident.all where user.partition == partition && changed?.contains(user.id) ?? true {
                forget(user.id)
            }
        case .generationChanged(let head, _, let lacking): adopt(head, lacking)
        }
    }

    private func outdateLoads(of partition: Partition) {
        loads.outdate { context.log.partition(of: $0) == partition }
    }

    private func keep(_ stored: LoadedUser, _ id: UserID, _ partition: Partition) {
        var loaded = stored
        do {
            let events = loads.remove(id, bytes: loaded.state.approximateBytes)
            for event in events where event.version > loaded.state.version { try loaded.apply(event) }
        } catch {
            return quarantine(id, error)
        }
        let user = CachedUser(
            id: id, partition: partition, generation: loaded.head.generation, state: loaded.state,
            dirty: loaded.touchedKeys, projectedVersion: loaded.projectedVersion, lastUsed: now.milliseconds)
        if loaded.hasDigests { user.digestedVersion = loaded.projectedVersion }
        context.loads.count(loaded: 1)
        resident.insert(user)
        reschedule(user)
        if arrived(id, partition) == .named { requeueForProjection(user, loaded.head) }
        tell(.caughtUp(user))
    }

    /// Records that nobody has to wait for the user any more: they are in memory, or quarantined.
    /// - Returns: why a look for users who are due waits for the user; nil when none does.
    @discardableResult private func arrived(_ id: UserID, _ partition: Partition) -> DueSchedule.Reason? {
        backlog.arrived(
            id, in: partition, bytes: resident[id]?.approximateBytes ?? 0, limit: configuration.bytesPerProjection)
        return due.arrived(id)
    }

    private func follow(_ logged: LoggedEvent) {
        backlog.markDirty(logged.user, at: logged.offset, in: context.log.partition(of: logged.user))
        tell(.changed(logged.user))
        guard let user = resident[logged.user] else {
            due.forget(logged.user)
            loads.followed(logged)
            if let outline = outlines[logged.user], logged.version > outline.user.state.version {
                outlines[logged.user] = nil
            }
            return tell(.missed(logged))
        }
        guard logged.version > user.state.version else { return }
        guard logged.version == user.state.version.next else {
            forget(user.id)
            return tell(.missed(logged))
        }
        do {
            changed(user, try user.state.apply(try logged.decoded()))
            user.grew(payloadBytes: logged.payload.count)
            resident.recount(user)
        } catch {
            quarantine(user.id, error)
            tell(.missed(logged))
        }
    }

    /// Another server appended events for the user that are not folded one by one: the user is loaded when they are
    /// needed.
    private func skip(_ changed: UserInRange, in partition: Partition) {
        backlog.grew(at: now)
        // A user who was loaded meanwhile may have these events already.
        if let user = resident[changed.user], user.state.version < changed.version { forget(changed.user) }
        loads.skipped(changed.user, to: changed.version)
        outlines[changed.user] = nil
        backlog.markDirty(changed.user, at: changed.firstOffset, in: partition)
        backlog.markDirty(changed.user, at: changed.lastOffset, in: partition)
        due.forget(changed.user)
        tell(.changed(changed.user))
        if changed.revokes, resident[changed.user] == nil { tell(.missedRevocation(changed.user)) }
    }

    /// Moves the partition's users to the generation that is shown now. The users whose rows differ there were dropped
    /// before (`LogNews.generationChanges`), so the states in memory are right for it.
    private func adopt(_ head: PartitionHead, _ lacking: [UserInRange]) {
        for lacking in lacking {
            // The dirty rows of these users are those that the generation before lacks, so they are loaded again. They
            // are few.
            if let user = resident[lacking.user], user.generation != head.generation { forget(user.id) }
            if resident[lacking.user] == nil { due.forget(lacking.user) }
        }
        for user in resident.all where user.partition == head.partition && user.generation != head.generation {
            user.adopt(head.generation)
            resident.recount(user)
        }
        let ended = resident.endQuarantines { self.context.log.partition(of: $0) == head.partition }
        for id in ended { tell(.visibilityChanged(id)) }
    }

    // MARK: Commits

    /// Records that events of the lane's own, which changed these rows of the user, were committed.
    func committed(_ user: CachedUser, changed keys: [RowKey]) { changed(user, keys) }

    /// Marks the rows for the read model, and schedules the user again if the rows may move what is due.
    private func changed(_ user: CachedUser, _ keys: [RowKey]) {
        user.dirty.add(keys)
        resident.recount(user)
        if DueSchedule.depends(on: keys) || !due.knows(user.id) { reschedule(user) }
    }

    // MARK: Folding beside the lane

    /// Which events are folded beside the lane now.
    var beside: FoldsBeside {
        let hasRoom = loads.handedBytes < configuration.cacheBytes / 4
        return FoldsBeside(
            threshold: configuration.workBesideLane,
            limit: hasRoom ? configuration.foldsBesideLane - loads.handedCount : 0, kept: backlog.kept)
    }

    /// Hands the user's state over to have an event folded that the log has and the state lacks. Until the answer comes
    /// the user is as one who is being loaded.
    /// - Parameter head: that of the user's partition behind the event.
    func handOver(_ user: CachedUser, _ event: Event, behind head: PartitionHead) -> FoldTask {
        let number = loads.handOver(user.id, bytes: user.approximateBytes, head: head)
        leaves(user)
        resident.remove(user.id)
        due.forget(user.id)
        tell(.changed(user.id))
        return FoldTask(number: number, user: user.takeState(as: head), event: event)
    }
}
