import EventStore
import FocusCore
import PostgresClient
import Support
import Testing

extension RandomHistory {
    /// Appends the next `count` events; returns how many are in the log afterwards.
    func log(next count: Int, after logged: Int, on connection: PostgresConnection) throws -> Int {
        let events = Array(events[logged..<min(logged + count, events.count)])
        guard let first = events.first else { return logged }
        let append = PartitionAppend(partition: Self.partition, expectedOffset: first.offset, events: events)
        #expect(try LogWriter().appendToEnd([append], on: connection)[Self.partition] != .behind)
        return logged + events.count
    }

    /// Loads the users and writes what the read model lacks, as a lane does.
    func project(
        _ users: [UserID], upTo checkpoint: LogOffset = .zero, on connection: PostgresConnection
    ) throws {
        let loaded = try UserLoader().load(users.map { (Self.partition, $0) }, on: connection)
        let projected = try users.map { user in
            let current = try #require(loaded[user]).get()
            var state = current.state
            return ProjectedUser(
                state, keys: Array(current.touchedKeys), base: current.projectedVersion, dueAt: state.dueAt,
                stateBytes: nil, digests: state.storedDigests(hashingAtMost: .max))
        }
        let batch = ProjectionBatch(
            partition: Self.partition, generation: 1, checkpoint: checkpoint, users: projected)
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }
}
