import FocusCore
import PostgresClient

extension PostgresConnection: RebuildConnection {
    func inTransaction<T>(_ mode: TransactionMode, _ body: (any RebuildConnection) throws -> T) throws -> T {
        try transaction(mode) { try body($0) }
    }

    func move(_ place: RebuildPlace, to next: RebuildPlace) throws -> Bool {
        let moved = try query(
            Queries.moveRebuildPartition,
            [
                .int4(place.generation.number), .int4(place.partition.rawValue), .text(place.phase.rawValue),
                place.after.stored, .int8(place.followed.rawValue), .text(next.phase.rawValue), next.after.stored,
                .int8(next.events), .int8(next.users), .int8(next.followed.rawValue),
            ])
        return moved.rowCount == 1
    }

    // MARK: Filling and verifying

    func events(below place: RebuildPlace, after user: UserID, _ version: Int64, limit: Int) throws -> [LoggedEvent] {
        try LoggedEvent.read(
            query(
                Queries.readEventsByUser,
                [
                    .int4(place.partition.rawValue), .uuid(user.uuid), .int8(version), .int8(place.through.rawValue),
                    .int8(Int64(limit)),
                ]))
    }

    func insert(_ rows: FilledRows, at place: RebuildPlace, pause: () throws -> Void) throws {
        try rows.insert(into: place.generation, place.partition, pause: pause, on: self)
    }

    func moveCheckpoint(of place: RebuildPlace, to offset: LogOffset) throws {
        _ = try query(
            place.generation.statement(Queries.moveCheckpoint),
            [.int4(place.partition.rawValue), .int8(offset.rawValue)])
    }

    func users(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID] {
        try users(
            query(
                generation.statement(Queries.readShownUsers),
                [.int4(partition.rawValue), .uuid((user ?? .beforeAll).uuid), .int8(Int64(limit))]))
    }

    func userCount(of partition: Partition, in generation: Generation) throws -> Int64 {
        try query(generation.statement(Queries.countShownUsers), [.int4(partition.rawValue)]).int8(row: 0, column: 0)
    }

    func verdict(of user: UserID, at place: RebuildPlace, rules: FoldRules) throws -> UserVerification.Verdict {
        let filled = try ShownUser.read(
            user, in: place.partition, filled: (place.generation, foldVersion: rules.version), on: self)
        return try UserVerifier(rules: rules).verify(filled, on: self).verdict
    }

    // MARK: Comparing

    func survey(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID]
    {
        let head = PartitionHead(
            partition: partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
            lastRecordedAt: Timestamp(microseconds: 0), generation: generation.number)
        return try UserSurvey(page: limit).users(of: head, after: user, on: self)
    }

    func alike(
        _ comparison: UserComparison, after first: UserID, through last: UserID, in partition: Partition
    ) throws -> Set<UserID> {
        try comparison.alike(after: first, through: last, in: partition, on: self)
    }

    func stored(
        _ users: [UserID], of partition: Partition, in generation: Generation, takesAll: Bool, rules: FoldRules
    ) throws -> [UserID: StoredUser] {
        try UserLoader(rules: rules).read(users.map { (partition, $0) }, generation, takesAll: takesAll, on: self)
    }

    func folded(_ stored: StoredUser, rules: FoldRules) throws -> LoadedUser {
        try UserLoader(rules: rules).folded(stored, on: self)
    }

    func differences(at place: RebuildPlace, after user: UserID, limit: Int) throws -> [UserID] {
        try users(
            query(
                Queries.readDifferences,
                [
                    .int4(place.generation.number), .int4(place.partition.rawValue), .uuid(user.uuid),
                    .int8(Int64(limit)),
                ]))
    }

    func record(different users: Set<UserID>, at place: RebuildPlace) throws {
        _ = try query(
            Queries.recordDifferences,
            [.int4(place.generation.number), .int4(place.partition.rawValue), .uuidArray(users.map(\.uuid))])
    }

    func settle(_ settled: SettledUsers, at place: RebuildPlace) throws {
        let (target, partition) = (place.generation, PostgresValue.int4(place.partition.rawValue))
        // A projector may still write to a generation that was shown before.
        var requests: [(Statement, [PostgresValue])] = [(Queries.waitCheckpoint, [partition])]
        requests += ProjectionWriter.requests(place.partition, settled.lacking, shown: nil)
        if !settled.lacking.isEmpty { requests.append(ProjectionWriter.users(place.partition, settled.lacking)) }
        requests.append(
            (Queries.recordDifferences, [.int4(target.number), partition, .uuidArray(settled.different.map(\.uuid))]))
        requests.append(
            (Queries.forgetDifferences, [.int4(target.number), partition, .uuidArray(settled.alike.map(\.uuid))]))
        if let checkpoint = settled.checkpoint {
            requests.append((Queries.moveCheckpoint, [partition, .int8(checkpoint.rawValue)]))
            // A generation that is shown again may have laggards of the time when it was shown.
            requests.append((Queries.settleLaggards, [partition, .null]))
        }
        _ = try pipeline(requests.map { (target.statement($0.0), $0.1) })
    }

    private func users(_ result: PostgresResult) throws(PostgresError) -> [UserID] {
        var users: [UserID] = []
        for row in 0..<result.rowCount { users.append(UserID(try result.uuid(row: row, column: 0))) }
        return users
    }

    // MARK: Cutting over

    func lockPartition(_ partition: Partition) throws -> Int32? {
        let locked = try pipeline([
            Self.idleBound, (Queries.lockPartitions, [.int4Array([partition.rawValue])]),
        ])[1]
        return locked.rowCount == 1 ? try locked.int4(row: 0, column: 3) : nil
    }

    func waitForCheckpoint(of partition: Partition, in generation: Generation) throws {
        _ = try query(generation.statement(Queries.waitCheckpoint), [.int4(partition.rawValue)])
    }

    func show(_ generation: Generation, insteadOf shown: Generation, in partition: Partition) throws {
        _ = try query(
            Queries.setGeneration, [.int4(partition.rawValue), .int4(generation.number), .int4(shown.number)])
    }

    func notify(_ partition: Partition) throws { try LogNotification.send([partition], on: self) }
}
