import FocusCore
import PostgresClient

/// Finds the users whose rows come out different in the new generation, and keeps that generation up with the log until
/// it is shown.
///
/// Flow: every user is compared once → the events that came meanwhile are folded into their users, round after round →
/// few events are left for the cut-over.
struct PartitionFollow {
    /// The cut-over begins when so few events are left: it folds them while appends wait.
    static let nearEnough: Int64 = 100
    /// The most events of one round.
    private static let roundLimit: Int64 = 10_000
    /// The most events that are read with their payloads at once: at 256 KiB each they take 128 MB.
    static let tailLimit = 500
    /// The most rounds. If events come faster than they are folded, the cut-over folds what is left.
    private static let rounds = 50
    /// The rounds that go on to the very last event. Later rounds end when `nearEnough` events are left, so that steady
    /// appends do not keep the cut-over waiting.
    private static let closeRounds = 10

    let comparison: UserComparison
    /// Called between transactions, with how many users were compared since the last call.
    let pause: (Int) throws -> Void

    /// Compares every user that the place has not passed yet.
    func compareAll(_ place: inout RebuildPlace, on connection: PostgresConnection) throws {
        if place.after == nil {
            var begun = place
            begun.followed = try head(place.partition, on: connection)
            try move(&place, to: begun, on: connection)
        }
        let survey = UserSurvey(page: UserComparison.page)
        while true {
            let users = try survey.users(
                of: PartitionHead(
                    partition: place.partition, nextOffset: .zero, lastEvent: PartitionHead.noEvent,
                    lastRecordedAt: Timestamp(microseconds: 0), generation: comparison.shown.number),
                after: place.after, on: connection)
            var next = place
            next.after = users.last ?? place.after
            next.users += Int64(users.count)
            let isLast = users.count < UserComparison.page
            if isLast { next = next.beginning(.following) }
            let (alike, compared) = try compareNeighbours(users, place, on: connection)
            let different = Set(compared.filter { !$0.change.isIdentical }.map(\.user))
            try settle(
                compared.compactMap(\.projected), different: different,
                alike: alike.union(compared.map(\.user)).subtracting(different), &place, to: next,
                checkpoint: isLast ? place.followed : nil, on: connection)
            try pause(users.count)
            if isLast { return }
        }
    }

    /// Compares again the users who were found to differ, and keeps their notices. An earlier process may have found
    /// them, so they are read from the database.
    func recall(_ place: RebuildPlace, _ followed: inout FollowedUsers, on connection: PostgresConnection) throws {
        var last = UserID.beforeAll
        while true {
            let result = try connection.query(
                Queries.readDifferences,
                [
                    .int4(place.generation.number), .int4(place.partition.rawValue), .uuid(last.uuid),
                    .int8(Int64(UserComparison.page)),
                ])
            let users = try (0..<result.rowCount).map { UserID(try result.uuid(row: $0, column: 0)) }
            guard let end = users.last else { return }
            for user in try compare(users, place, on: connection) { followed.keepNotice(user) }
            last = end
            try pause(0)
        }
    }

    /// Follows the log until few events are left.
    func follow(
        _ place: inout RebuildPlace, _ followed: inout FollowedUsers, on connection: PostgresConnection
    ) throws {
        for round in 0..<Self.rounds {
            let head = try head(place.partition, on: connection)
            let behind = head.rawValue - place.followed.rawValue
            guard behind > (round < Self.closeRounds ? 0 : Self.nearEnough) else { return }
            let end = place.followed.advanced(by: Int(min(behind, Self.roundLimit)))
            try follow(&place, to: end, &followed, on: connection)
        }
    }

    private func follow(
        _ place: inout RebuildPlace, to end: LogOffset, _ followed: inout FollowedUsers,
        on connection: PostgresConnection
    ) throws {
        var (users, others) = try followed.readTail(of: place.partition, in: place.followed..<end, on: connection)
        repeat {
            let page = Array(others.prefix(UserComparison.page))
            others.removeFirst(page.count)
            var compared = try compare(page, place, on: connection)
            let lacking = followed.projected(users) + compared.compactMap(\.projected)
            let different = followed.different(users).union(compared.filter { !$0.change.isIdentical }.map(\.user))
            let alike = users.union(compared.map(\.user)).subtracting(different)
            var next = place
            if others.isEmpty { next.followed = end }
            try settle(
                lacking, different: different, alike: alike, &place, to: next, checkpoint: others.isEmpty ? end : nil,
                on: connection)
            followed.markProjected(users)
            for index in compared.indices {
                compared[index].markProjected()
                followed.keep(compared[index])
            }
            users = []
            try pause(0)
        } while !others.isEmpty
    }

    /// Reads both generations in one snapshot, so that a projection written between the reads is no difference.
    private func compare(
        _ users: [UserID], _ place: RebuildPlace, on connection: PostgresConnection
    ) throws -> [ComparedUser] {
        guard !users.isEmpty else { return [] }
        return try connection.transaction(.snapshot) { try comparison.compare(users, in: place.partition, on: $0) }
    }

    /// Compares users who follow each other in the order of ids. Most have the same rows in both generations, which one
    /// statement finds; only the others are read.
    /// - Returns: the users who are alike, from the place's `after` to the last of `users`, and the others, compared.
    private func compareNeighbours(
        _ users: [UserID], _ place: RebuildPlace, on connection: PostgresConnection
    ) throws -> (Set<UserID>, [ComparedUser]) {
        guard let last = users.last else { return ([], []) }
        return try connection.transaction(.snapshot) { connection in
            let alike = try comparison.alike(
                after: place.after ?? .beforeAll, through: last, in: place.partition, on: connection)
            let others = users.filter { !alike.contains($0) }
            return (alike, try comparison.compare(others, in: place.partition, on: connection))
        }
    }

    private func head(_ partition: Partition, on connection: PostgresConnection) throws -> LogOffset {
        guard let head = try LogReader().heads(of: [partition], on: connection).first else {
            throw EventStoreError.corrupt("partition \(partition) is not in log_partitions")
        }
        return head.nextOffset
    }

    private func move(
        _ place: inout RebuildPlace, to next: RebuildPlace, on connection: PostgresConnection
    ) throws {
        let from = place
        place = try connection.transaction { connection in
            var moved = from
            try moved.move(to: next, on: connection)
            return moved
        }
    }

    /// Writes in one transaction: the rows that the target lacks, who differs and who does not, and the place.
    private func settle(
        _ lacking: [ProjectedUser], different: Set<UserID>, alike: Set<UserID>, _ place: inout RebuildPlace,
        to next: RebuildPlace, checkpoint: LogOffset?, on connection: PostgresConnection
    ) throws {
        let from = place
        let (target, partition) = (comparison.target, PostgresValue.int4(place.partition.rawValue))
        var requests = ProjectionWriter.requests(place.partition, lacking, shown: nil)
        if !lacking.isEmpty { requests.append(ProjectionWriter.users(place.partition, lacking)) }
        requests.append(
            (Queries.recordDifferences, [.int4(target.number), partition, .uuidArray(different.map(\.uuid))]))
        requests.append((Queries.forgetDifferences, [.int4(target.number), partition, .uuidArray(alike.map(\.uuid))]))
        if let checkpoint {
            requests.append((Queries.moveCheckpoint, [partition, .int8(checkpoint.rawValue)]))
            // A generation that is shown again may have laggards of the time when it was shown.
            requests.append((Queries.settleLaggards, [partition, .null]))
        }
        place = try connection.transaction { [requests] connection in
            var moved = from
            try moved.move(to: next, on: connection)
            _ = try connection.pipeline(requests.map { (target.statement($0.0), $0.1) })
            return moved
        }
    }
}
