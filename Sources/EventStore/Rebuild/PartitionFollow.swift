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
    func compareAll(_ place: inout RebuildPlace, on connection: any RebuildConnection) throws {
        if place.after == nil {
            var begun = place
            begun.followed = try head(place.partition, on: connection)
            try move(&place, to: begun, on: connection)
        }
        while true {
            let users = try connection.survey(
                of: place.partition, in: comparison.shown, after: place.after, limit: UserComparison.page)
            var next = place
            next.after = users.last ?? place.after
            next.users += Int64(users.count)
            let isLast = users.count < UserComparison.page
            if isLast { next = next.beginning(.following) }
            let (alike, compared) = try compareNeighbours(users, place, on: connection)
            let different = Set(compared.filter { !$0.change.isIdentical }.map(\.user))
            let settled = SettledUsers(
                lacking: compared.compactMap(\.projected), different: different,
                alike: alike.union(compared.map(\.user)).subtracting(different),
                checkpoint: isLast ? place.followed : nil)
            try settle(settled, &place, to: next, on: connection)
            try pause(users.count)
            if isLast { return }
        }
    }

    /// Compares again the users who were found to differ, and keeps their notices. An earlier process may have found
    /// them, so they are read from the database.
    func recall(_ place: RebuildPlace, _ followed: inout FollowedUsers, on connection: any RebuildConnection) throws {
        var last = UserID.beforeAll
        while true {
            let users = try connection.differences(at: place, after: last, limit: UserComparison.page)
            guard let end = users.last else { return }
            for user in try compare(users, place, on: connection) { followed.keepNotice(user) }
            last = end
            try pause(0)
        }
    }

    /// Follows the log until few events are left.
    func follow(
        _ place: inout RebuildPlace, _ followed: inout FollowedUsers, on connection: any RebuildConnection
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
        on connection: any RebuildConnection
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
            let settled = SettledUsers(
                lacking: lacking, different: different, alike: alike, checkpoint: others.isEmpty ? end : nil)
            try settle(settled, &place, to: next, on: connection)
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
        _ users: [UserID], _ place: RebuildPlace, on connection: any RebuildConnection
    ) throws -> [ComparedUser] {
        guard !users.isEmpty else { return [] }
        return try connection.inTransaction(.snapshot) { try comparison.compare(users, in: place.partition, on: $0) }
    }

    /// Compares users who follow each other in the order of ids. Most have the same rows in both generations, which one
    /// statement finds; only the others are read.
    /// - Returns: the users who are alike, from the place's `after` to the last of `users`, and the others, compared.
    private func compareNeighbours(
        _ users: [UserID], _ place: RebuildPlace, on connection: any RebuildConnection
    ) throws -> (Set<UserID>, [ComparedUser]) {
        guard let last = users.last else { return ([], []) }
        return try connection.inTransaction(.snapshot) { connection in
            let alike = try connection.alike(
                comparison, after: place.after ?? .beforeAll, through: last, in: place.partition)
            let others = users.filter { !alike.contains($0) }
            return (alike, try comparison.compare(others, in: place.partition, on: connection))
        }
    }

    private func head(_ partition: Partition, on connection: any RebuildConnection) throws -> LogOffset {
        guard let head = try connection.timedHeads(of: [partition]).heads.first else {
            throw EventStoreError.corrupt("partition \(partition) is not in log_partitions")
        }
        return head.nextOffset
    }

    private func move(
        _ place: inout RebuildPlace, to next: RebuildPlace, on connection: any RebuildConnection
    ) throws {
        let from = place
        place = try connection.inTransaction(.standard) { connection in
            var moved = from
            try moved.move(to: next, on: connection)
            return moved
        }
    }

    /// Writes in one transaction: the rows that the target lacks, who differs and who does not, and the place.
    private func settle(
        _ settled: SettledUsers, _ place: inout RebuildPlace, to next: RebuildPlace,
        on connection: any RebuildConnection
    ) throws {
        let from = place
        place = try connection.inTransaction(.standard) { connection in
            var moved = from
            try moved.move(to: next, on: connection)
            try connection.settle(settled, at: from)
            return moved
        }
    }
}
