import FocusCore
import PostgresClient

/// What a rebuild asks over one connection, beside what servers ask. `PostgresConnection` is one; the simulation has one
/// whose process dies between any two calls.
protocol RebuildConnection: LogConnection {
    /// Runs `body` in one transaction, which is rolled back when it throws.
    func inTransaction<T>(_ mode: TransactionMode, _ body: (any RebuildConnection) throws -> T) throws -> T
    /// Moves a rebuild from one place to another. False: it is not at that place, and stays where it is.
    func move(_ place: RebuildPlace, to next: RebuildPlace) throws -> Bool

    // MARK: Filling and verifying

    /// Events of the place's partition below `RebuildPlace.through`, by users and versions, past a version of a user.
    func events(below place: RebuildPlace, after user: UserID, _ version: Int64, limit: Int) throws -> [LoggedEvent]
    /// Inserts rows into the place's generation; a row that is there already is an error.
    /// - Parameter pause: called now and then while rows are on their way.
    func insert(_ rows: FilledRows, at place: RebuildPlace, pause: () throws -> Void) throws
    func moveCheckpoint(of place: RebuildPlace, to offset: LogOffset) throws
    /// Users whom a generation shows, in order of their ids.
    func users(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID]
    func userCount(of partition: Partition, in generation: Generation) throws -> Int64
    func verdict(of user: UserID, at place: RebuildPlace, rules: FoldRules) throws -> UserVerification.Verdict

    // MARK: Comparing

    /// Users of the log and of a generation, as `UserSurvey` finds them.
    func survey(of partition: Partition, in generation: Generation, after user: UserID?, limit: Int) throws -> [UserID]
    /// As `UserComparison.alike`.
    func alike(
        _ comparison: UserComparison, after first: UserID, through last: UserID, in partition: Partition
    ) throws -> Set<UserID>
    /// As `UserLoader.read`.
    func stored(
        _ users: [UserID], of partition: Partition, in generation: Generation, takesAll: Bool, rules: FoldRules
    ) throws -> [UserID: StoredUser]
    /// As `UserLoader.folded`.
    func folded(_ stored: StoredUser, rules: FoldRules) throws -> LoadedUser
    /// Users of the place who were recorded to differ, in order of their ids.
    func differences(at place: RebuildPlace, after user: UserID, limit: Int) throws -> [UserID]
    /// Records users of the place who differ.
    func record(different users: Set<UserID>, at place: RebuildPlace) throws
    /// Writes what the place's generation lacks, and who differs and who does not.
    func settle(_ settled: SettledUsers, at place: RebuildPlace) throws

    // MARK: Cutting over

    /// Locks a partition against appends until the transaction ends.
    /// - Returns: the generation that it shows; nil: there is no such partition.
    func lockPartition(_ partition: Partition) throws -> Int32?
    /// Locks the checkpoint of a partition in a generation, and waits for whoever is projecting there.
    func waitForCheckpoint(of partition: Partition, in generation: Generation) throws
    /// Has a partition show a generation.
    func show(_ generation: Generation, insteadOf shown: Generation, in partition: Partition) throws
    /// Tells servers that something happened in the partition.
    func notify(_ partition: Partition) throws
}

/// Users of a partition who were compared, and what is recorded of them in one transaction.
struct SettledUsers {
    /// What the target's tables lack.
    var lacking: [ProjectedUser]
    var different: Set<UserID>
    var alike: Set<UserID>
    /// Below this offset the target has every event by now; nil: that is not known yet.
    var checkpoint: LogOffset?
}
