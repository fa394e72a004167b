import EventStore
import FocusCore

extension LaneWorker {
    /// A cursor that is ahead of a state may come from another server's commit: look before it is called lost.
    func catchUpWithCursors() throws {
        var partitions: Set<Partition> = []
        for (_, opening) in sessions.waiting {
            guard let user = users[opening.identity.user], let cursor = opening.cursor,
                cursor.log == context.log.log, cursor.version > user.state.version
            else { continue }
            partitions.insert(user.partition)
        }
        guard !partitions.isEmpty else { return }
        for partition in partitions.sorted() { try catchUp(partition) }
        try loadMissingUsers()
    }

    /// The cursor, if it can be continued from (rules S4, S5), and whether it names an event that this log once had and
    /// has not any more (rule S6). Without a cursor: a snapshot.
    func standing(_ cursor: Cursor?, _ view: View, _ user: CachedUser) -> (cursor: Cursor?, logIsBehind: Bool) {
        guard let cursor, cursor.log == context.log.log else { return (nil, false) }
        guard cursor.version <= user.state.version else { return (nil, true) }
        if cursor.version > .zero {
            var event = user.state.lastEvent
            if cursor.version < user.state.version {
                do {
                    guard let found = try store.event(of: user.id, partition: user.partition, at: cursor.version)
                    else { return (nil, true) }
                    event = found
                } catch {
                    // When the log cannot be asked, a snapshot is always right.
                    return (nil, false)
                }
            }
            guard event == cursor.event else { return (nil, true) }
        }
        let isAccepted = Subscription.accepts(cursor, view: view, log: context.log.log, state: user.state)
        return (isAccepted ? cursor : nil, false)
    }
}
