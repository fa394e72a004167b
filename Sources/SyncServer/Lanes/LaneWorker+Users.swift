import DequeModule
import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// Loads, a batch in one statement, the users that openings, appends and waiting rows need and that are not here.
    func loadMissingUsers() throws {
        var missing: Set<UserID> = []
        for (_, opening) in sessions.waiting { missing.insert(opening.identity.user) }
        for append in appends {
            if let session = sessions[append.session] { missing.insert(session.identity.user) }
        }
        for fetch in fetches {
            if let session = sessions[fetch.session] { missing.insert(session.identity.user) }
        }
        if isFresh { missing.formUnion(plan.users.filter(sessions.hasSessions)) }
        missing.formUnion(peers.dequeueAwaitingLoad())
        try load(missing)
    }

    /// Afterwards each of them is cached or quarantined.
    func load(_ ids: Set<UserID>) throws {
        // Another generation, found with the last of them, sends away those who came from the one before.
        for _ in 0..<3 where ids.contains(where: users.isAwaitingLoad) {
            try loadOnce(ids)
        }
    }

    private func loadOnce(_ ids: Set<UserID>) throws {
        var missing = users.awaitingLoad(ids)
        while !missing.isEmpty {
            let some = missing.prefix(configuration.usersPerLoad).map { (partition(of: $0), $0) }
            missing.removeFirst(some.count)
            let loaded = try store.load(some)
            var ahead: [PartitionHead] = []
            for (partition, id) in some {
                switch loaded[id] {
                case .success(let user):
                    if try keep(user, id, partition) { ahead.append(user.head) }
                case .failure(let error): quarantine(id, error)
                case nil: quarantine(id, EventStoreGap())
                }
            }
            // The lane follows to exactly the heads that the loads saw. A newer look could find a log that has lost what
            // the loaded states hold, and an event appended to such a state leaves a gap in its user's versions for ever.
            for head in ahead.sorted(by: { ($0.nextOffset, $0.generation) < ($1.nextOffset, $1.generation) }) {
                try catchUp(to: head)
            }
        }
    }

    /// True when the log is further than this lane knows: the others of the partition have to catch up.
    private func keep(_ loaded: LoadedUser, _ id: UserID, _ partition: Partition) throws -> Bool {
        let isAhead = try tails.isBehind(loaded.head)
        let user = CachedUser(
            id: id, partition: partition, generation: loaded.head.generation, state: loaded.state,
            dirty: loaded.touchedKeys, projectedVersion: loaded.projectedVersion,
            lastUsed: context.clock.monotonic().milliseconds)
        users.insert(user)
        reschedule(user)
        review(user)
        return isAhead
    }

    /// The state may hold what was not committed: it is loaded again when it is needed.
    func forget(_ id: UserID) {
        due.forget(id)
        guard users.remove(id) != nil, sessions.hasSessions(of: id) else { return }
        plan.awaitRows(id)
    }

    /// One user's broken fold disturbs nobody else.
    func quarantine(_ id: UserID, _ error: any Error) {
        context.logger.error("user quarantined", metadata: ["user": "\(id)", "error": "\(error)"])
        users.quarantine(
            id, until: context.clock.monotonic().adding(milliseconds: configuration.quarantineMilliseconds))
        due.forget(id)
        peers.changed(id)
    }

    func endQuarantines() {
        // Whoever watches them was told that nothing is known.
        for id in users.endQuarantines(now: context.clock.monotonic()) { peers.changed(id) }
    }

    /// Keeps memory within its bound.
    func evict() {
        let evicted = users.evict(
            past: configuration.cacheBytes, now: context.clock.monotonic(), every: configuration.cacheCheckMilliseconds)
        for user in evicted { forgetDueTime(of: user.id, user.partition) }
    }
}

/// The store did not answer for a user that it was asked for.
struct EventStoreGap: Error {}
