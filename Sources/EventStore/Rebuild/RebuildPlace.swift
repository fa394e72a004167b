import FocusCore

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

    /// Moves on to `next` in the caller's transaction. Throws `RebuildError.overtaken` when another process has moved
    /// the place: the last commit of a process that was killed may arrive after its death.
    mutating func move(to next: RebuildPlace, on connection: any RebuildConnection) throws {
        guard try connection.move(self, to: next) else { throw RebuildError.overtaken(partition) }
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

extension UserID {
    /// An id before every user's: the nil UUID stands for nobody.
    static let beforeAll = UserID(DeviceID.server.uuid)
}
