import EventStore
import FocusCore
import Logging

/// The users of a lane: those in memory, when something falls due for each, and whom the read model is behind. The three
/// change together, and here alone.
///
/// Flow: what the log has to tell (`LogNews`) → states are folded, scheduled and marked for the read model → what sessions
/// and watchers are to hear (`UserNews`).
final class LaneUsers {
    private(set) var resident = ResidentUsers()
    /// See `LaneUsers+Due`.
    var due = DueSchedule()
    var backlog: ProjectionBacklog
    let context: LaneContext
    private let tell: (UserNews) -> Void

    var configuration: LaneConfiguration { context.configuration }
    private var now: MonotonicTime { context.clock.monotonic() }

    init(_ context: LaneContext, _ partitions: [Partition], tell: @escaping (UserNews) -> Void) {
        (self.context, self.tell) = (context, tell)
        backlog = ProjectionBacklog(partitions, now: context.clock.monotonic())
    }

    /// When the next look at what is due, or batch for the read model, is to be made.
    var nextDeadline: MonotonicTime {
        let write = backlog.nextWrite(pauseMilliseconds: configuration.pauseMilliseconds)
        return write.map { min($0, due.nextLook) } ?? due.nextLook
    }

    // MARK: Coming and going

    /// The state may hold what was not committed: it is loaded again when it is needed.
    func forget(_ id: UserID) {
        due.forget(id)
        if resident.remove(id) != nil { tell(.left(id)) }
    }

    /// Nothing in memory can be relied on.
    func forgetAll() {
        for user in resident.all { forget(user.id) }
    }

    /// As after a restart: nothing stays that was folded from a history that is gone.
    func startOver() { (resident, due) = (ResidentUsers(), DueSchedule()) }

    /// One user's broken fold disturbs nobody else.
    func quarantine(_ id: UserID, _ error: any Error) {
        context.logger.error("user quarantined", metadata: ["user": "\(id)", "error": "\(error)"])
        resident.quarantine(id, until: now.adding(milliseconds: configuration.quarantineMilliseconds))
        due.forget(id)
        tell(.visibilityChanged(id))
    }

    func endQuarantines() {
        // Whoever watches them was told that nothing is known.
        for id in resident.endQuarantines(now: now) { tell(.visibilityChanged(id)) }
    }

    /// Keeps memory within its bound.
    func evict() {
        let evicted = resident.evict(
            past: configuration.cacheBytes, now: now, every: configuration.cacheCheckMilliseconds)
        for user in evicted { forgetDueTime(of: user.id, user.partition) }
    }

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
            backlog.note(batch)
        case .loaded(let user, let id, let partition): keep(user, id, partition)
        case .unloadable(let id, let error): quarantine(id, error)
        case .readModelStands(let partition, let checkpoint, let lacking):
            backlog.begin(partition, at: checkpoint, lacking: lacking)
        case .checkpointRegressed(let partition, let checkpoint, let lacking):
            backlog.regress(partition, to: checkpoint, lacking: lacking)
            for user in lacking { forget(user.user) }
        case .readModelIsAnother: backlog.beginEpoch()
        case .generationChanges(let partition, let changed):
            for user in resident.all where user.partition == partition && changed?.contains(user.id) ?? true {
                forget(user.id)
            }
        case .generationChanged(let head, _, let lacking): adopt(head, lacking)
        }
    }

    private func keep(_ loaded: LoadedUser, _ id: UserID, _ partition: Partition) {
        let user = CachedUser(
            id: id, partition: partition, generation: loaded.head.generation, state: loaded.state,
            dirty: loaded.touchedKeys, projectedVersion: loaded.projectedVersion, lastUsed: now.milliseconds)
        resident.insert(user)
        reschedule(user)
        tell(.caughtUp(user))
    }

    private func follow(_ logged: LoggedEvent) {
        backlog.note(logged.user, at: logged.offset, in: context.log.partition(of: logged.user))
        tell(.changed(logged.user))
        guard let user = resident[logged.user] else {
            due.forget(logged.user)
            return tell(.missed(logged))
        }
        guard logged.version > user.state.version else { return }
        guard logged.version == user.state.version.next else { return forget(user.id) }
        do {
            changed(user, try user.state.apply(try logged.decoded()))
        } catch {
            quarantine(user.id, error)
        }
    }

    /// The user has more events than are folded one by one: they are loaded when they are needed.
    private func skip(_ changed: UserInRange, in partition: Partition) {
        backlog.grew(at: now)
        // Whoever was loaded since then has it all.
        if let user = resident[changed.user], user.state.version < changed.version { forget(changed.user) }
        backlog.note(changed.user, at: changed.lastOffset, in: partition)
        due.forget(changed.user)
        tell(.changed(changed.user))
    }

    /// States that were not forgotten are those of the generation that is shown now.
    private func adopt(_ head: PartitionHead, _ lacking: [UserInRange]) {
        for lacking in lacking {
            // What the read model lacks of them is known for the generation before. They are few.
            if let user = resident[lacking.user], user.generation != head.generation { forget(user.id) }
            if resident[lacking.user] == nil { due.forget(lacking.user) }
        }
        for user in resident.all where user.partition == head.partition && user.generation != head.generation {
            user.adopt(head.generation)
        }
        resident.endQuarantines { self.context.log.partition(of: $0) == head.partition }
    }

    // MARK: Commits

    /// Events of the lane's own that changed these rows of the user are in the log.
    func committed(_ user: CachedUser, changed keys: [RowKey]) { changed(user, keys) }

    private func changed(_ user: CachedUser, _ keys: some Collection<RowKey>) {
        user.dirty.formUnion(keys)
        if DueSchedule.depends(on: keys) || !due.knows(user.id) { reschedule(user) }
    }
}
