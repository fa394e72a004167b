import FocusCore
import PostgresClient

/// Finds users whose rows come out different, and keeps a generation after the log until it is shown.
///
/// Flow: every user is compared once → those with events since, again and again → few are left for the cut-over.
struct PartitionFollow {
    /// Events that the cut-over may find new.
    static let nearEnough: Int64 = 100
    /// Events of one round.
    private static let roundLimit: Int64 = 10_000
    /// Appends may outrun us; the cut-over then takes what is left.
    private static let rounds = 50
    /// So many rounds are for the very last events: the cut-over folds whom it finds while appends wait.
    private static let closeRounds = 10

    let comparison: UserComparison
    /// Called between transactions with the users done since the last call.
    let pause: (Int) throws -> Void

    /// Compares everybody, from the place on.
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
                    partition: place.partition, nextOffset: .zero, lastRecordedAt: Timestamp(microseconds: 0),
                    generation: comparison.shown.number), after: place.after, on: connection)
            var next = place
            next.after = users.last ?? place.after
            next.users += Int64(users.count)
            let isLast = users.count < UserComparison.page
            if isLast { next = next.beginning(.following) }
            try settle(
                users, &place, to: next, checkpoint: isLast ? place.followed : nil, areNeighbours: true, on: connection)
            try pause(users.count)
            if isLast { return }
        }
    }

    /// Until little is left.
    func follow(_ place: inout RebuildPlace, on connection: PostgresConnection) throws {
        for round in 0..<Self.rounds {
            let head = try head(place.partition, on: connection)
            let behind = head.rawValue - place.followed.rawValue
            guard behind > (round < Self.closeRounds ? 0 : Self.nearEnough) else { return }
            let end = place.followed.advanced(by: Int(min(behind, Self.roundLimit)))
            var users = try LogReader().users(partition: place.partition, in: place.followed..<end, on: connection)
                .map(\.user).sorted()[...]
            while !users.isEmpty {
                let page = Array(users.prefix(UserComparison.page))
                users = users.dropFirst(page.count)
                var next = place
                if users.isEmpty { next.followed = end }
                try settle(page, &place, to: next, checkpoint: users.isEmpty ? end : nil, on: connection)
                try pause(0)
            }
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

    /// Writes what the target lacks of these users and notes who differs, together with the place.
    /// - Parameter areNeighbours: they are all that there are from the place's `after` to the last of them.
    private func settle(
        _ users: [UserID], _ place: inout RebuildPlace, to next: RebuildPlace, checkpoint: LogOffset?,
        areNeighbours: Bool = false, on connection: PostgresConnection
    ) throws {
        let from = place
        // Both generations in one snapshot: a projection that is written between them is no difference.
        let (alike, found) = try connection.transaction(.snapshot) { connection in
            var alike: Set<UserID> = []
            if areNeighbours, let last = users.last {
                alike = try comparison.alike(
                    after: from.after ?? .beforeAll, through: last, in: from.partition, on: connection)
            }
            let others = users.filter { !alike.contains($0) }
            return (alike, try comparison.compare(others, in: from.partition, on: connection))
        }
        place = try connection.transaction { connection in
            var moved = from
            try moved.move(to: next, on: connection)
            try write(alike, found, from.partition, on: connection)
            if let checkpoint {
                _ = try connection.query(
                    comparison.target.statement(Queries.moveCheckpoint),
                    [.int4(from.partition.rawValue), .int8(checkpoint.rawValue)])
            }
            return moved
        }
    }

    private func write(
        _ alike: Set<UserID>, _ found: [UserComparison.Found], _ partition: Partition,
        on connection: PostgresConnection
    ) throws {
        let different = found.filter { !$0.change.isEmpty }.map(\.user.uuid)
        let alike = alike.map(\.uuid) + found.filter(\.change.isEmpty).map(\.user.uuid)
        let place: [PostgresValue] = [.int4(comparison.target.number), .int4(partition.rawValue)]
        var requests = ProjectionWriter.requests(partition, found.compactMap { $0.projected() }, shown: nil)
        let users = found.compactMap { $0.projected() }
        if !users.isEmpty { requests.append(ProjectionWriter.users(partition, users)) }
        requests.append((Queries.noteDifferences, place + [.uuidArray(different)]))
        requests.append((Queries.forgetDifferences, place + [.uuidArray(alike)]))
        _ = try connection.pipeline(requests.map { (comparison.target.statement($0.0), $0.1) })
    }
}
