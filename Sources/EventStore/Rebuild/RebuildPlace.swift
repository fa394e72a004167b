import FocusCore
import Foundation
import PostgresClient

/// How far the rebuild of one partition has come. The database holds it: each transaction of the rebuild writes the
/// place together with the rows that reach it, so that a rebuild resumes exactly where it was killed.
struct RebuildPlace: Hashable, Sendable {
    enum Phase: String, Sendable {
        /// Each user's events are folded, in the order of the users' ids, and the rows are put into the generation.
        case filling
        case verifying
        /// Each user's rows are compared with those in the generation that is shown.
        case comparing
        /// Users who have appended since they were compared are compared again; then comes the cut-over.
        case following
        case done
    }

    let generation: Generation
    let partition: Partition
    /// The rows have all events below this offset.
    let through: LogOffset
    var phase: Phase
    /// The phase is done with users up to this one.
    var after: UserID?
    var events: Int64
    var users: Int64
    /// Users with events at this offset or past it must be compared again.
    var followed: LogOffset

    static func read(
        of generation: Generation, on connection: PostgresConnection
    ) throws -> [RebuildPlace] {
        let result = try connection.query(Queries.readRebuildPartitions, [.int4(generation.number)])
        return try (0..<result.rowCount).map { try RebuildPlace(generation, result, $0) }
    }

    private init(_ generation: Generation, _ result: PostgresResult, _ row: Int) throws {
        let name = try result.text(row: row, column: 1)
        guard let phase = Phase(rawValue: name) else { throw EventStoreError.corrupt("a rebuild in phase \(name)") }
        self.generation = generation
        self.phase = phase
        partition = Partition(try result.int4(row: row, column: 0))
        through = LogOffset(try result.int8(row: row, column: 2))
        after = result.isNull(row: row, column: 3) ? nil : UserID(try result.uuid(row: row, column: 3))
        events = try result.int8(row: row, column: 4)
        users = try result.int8(row: row, column: 5)
        followed = LogOffset(try result.int8(row: row, column: 6))
    }

    /// Moves on to `next` in the caller's transaction. Throws `RebuildError.overtaken` when another process has moved
    /// the place: the last commit of a process that was killed may arrive after its death.
    mutating func move(to next: RebuildPlace, on connection: PostgresConnection) throws {
        let moved = try connection.query(
            Queries.moveRebuildPartition,
            [
                .int4(generation.number), .int4(partition.rawValue), .text(phase.rawValue), after.stored,
                .int8(followed.rawValue), .text(next.phase.rawValue), next.after.stored, .int8(next.events),
                .int8(next.users), .int8(next.followed.rawValue),
            ])
        guard moved.rowCount == 1 else { throw RebuildError.overtaken(partition) }
        self = next
    }

    /// The place at the beginning of another phase.
    func beginning(_ phase: Phase) -> RebuildPlace {
        var next = self
        next.phase = phase
        next.after = nil
        next.users = 0
        return next
    }
}

extension UserID? {
    fileprivate var stored: PostgresValue { map { .uuid($0.uuid) } ?? .null }
}

extension UserID {
    /// An id before every user's: the nil UUID stands for nobody.
    static let beforeAll = UserID(DeviceID.server.uuid)
}
