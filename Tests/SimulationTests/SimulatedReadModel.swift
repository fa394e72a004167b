import FocusCore
import PostgresClient

@testable import EventStore

/// The read model in memory, as of one commit: its generations, which of them each partition shows, and how far rebuilds
/// have come. It is a value, because a crash takes all of it back to what was flushed.
struct SimulatedReadModel {
    /// A user's rows and version in a generation.
    struct Shown {
        var version = Version.zero
        var dueAt: Timestamp?
        var rows: [RowKey: Row] = [:]
        /// The digest sums, and the version that they are of.
        var digests: [UInt8]?
        var digestsVersion = Version.zero

        /// Whether the digest sums are those of the rows.
        var hasDigests: Bool { digests != nil && digestsVersion == version }

        /// Says what is shown from now on, as `show_users` does.
        mutating func show(_ user: ProjectedUser) {
            (version, dueAt) = (user.version, user.dueAt)
            if let digests = user.digests?.encoded { (self.digests, digestsVersion) = (digests, user.version) }
        }
    }

    /// A partition of a generation.
    struct Part {
        var checkpoint = LogOffset.zero
        var laggards: [UserID: LogOffset] = [:]
        var users: [UserID: Shown] = [:]
        /// Rows that are not what the events make, as if another fold had made them.
        var altered: [UserID: Set<RowKey>] = [:]
    }

    /// The generations that were not dropped.
    private(set) var builds: [Int32: [Partition: Part]] = [:]
    /// The fold version of each generation that ever was.
    private(set) var folds: [Int32: Int32] = [:]
    /// The generation that each partition shows.
    private(set) var shown: [Partition: Int32] = [:]
    /// The generation that an interrupted rebuild or rollback is to show, or one that is under way.
    var unfinished: Int32?
    /// For each generation: how far its rebuild is; the generation that a partition showed before; who differs from it.
    var places: [Int32: [Partition: RebuildPlace]] = [:]
    private var previous: [Int32: [Partition: Int32]] = [:]
    private(set) var differences: [Int32: [Partition: Set<UserID>]] = [:]

    init(_ partitions: [Partition], foldVersion: Int32) {
        let first = create(partitions, foldVersion: foldVersion)
        for partition in partitions { shown[partition] = first }
    }

    static func undefinedTable(_ generation: Int32) -> PostgresError {
        PostgresError(kind: .syntax, sqlState: "42P01", message: "relation read_\(generation).users does not exist")
    }

    func generation(of partition: Partition) -> Int32 { shown[partition] ?? 1 }

    /// Throws what PostgreSQL says when the generation was dropped.
    func part(_ partition: Partition, in generation: Int32) throws -> Part {
        guard let part = builds[generation]?[partition] else { throw Self.undefinedTable(generation) }
        return part
    }

    /// The part that is shown.
    subscript(partition: Partition) -> Part { builds[generation(of: partition)]?[partition] ?? Part() }

    mutating func change(_ partition: Partition, in generation: Int32, _ body: (inout Part) -> Void) {
        guard builds[generation]?[partition] != nil else { return }
        body(&builds[generation]![partition]!)
    }

    // MARK: Generations

    /// Creates an empty generation.
    mutating func create(_ partitions: [Partition], foldVersion: Int32) -> Int32 {
        let generation = Int32(folds.count) + 1
        builds[generation] = Dictionary(uniqueKeysWithValues: partitions.map { ($0, Part()) })
        folds[generation] = foldVersion
        return generation
    }

    mutating func drop(_ generation: Int32) { builds[generation] = nil }

    /// The generations that no partition shows.
    var hidden: [Int32] { builds.keys.filter { !shown.values.contains($0) }.sorted() }

    mutating func show(_ generation: Int32, in partition: Partition) {
        previous[generation, default: [:]][partition] = shown[partition]
        shown[partition] = generation
    }

    // MARK: Rebuilds

    /// Every partition begins a rebuild or a rollback with this phase.
    mutating func begin(_ generation: Int32, _ phase: RebuildPlace.Phase, heads: [PartitionHead]) {
        unfinished = generation
        previous[generation] = nil
        places[generation] = Dictionary(
            uniqueKeysWithValues: heads.map { head in
                let place = RebuildPlace(
                    generation: Generation(generation), partition: head.partition, through: head.nextOffset,
                    phase: phase, after: nil, events: 0, users: 0, followed: head.nextOffset)
                return (head.partition, place)
            })
    }

    func isAt(_ place: RebuildPlace) -> Bool {
        guard let known = places[place.generation.number]?[place.partition] else { return false }
        return known.phase == place.phase && known.after == place.after && known.followed == place.followed
    }

    mutating func record(different: Set<UserID>, alike: Set<UserID> = [], at place: RebuildPlace) {
        differences[place.generation.number, default: [:]][place.partition, default: []].subtract(alike)
        differences[place.generation.number, default: [:]][place.partition, default: []].formUnion(different)
    }

    /// As `find_changed_users` finds them.
    func changedUsers(
        of partition: Partition, from before: Int32, to generation: Int32, foldVersion: Int32, limit: Int
    ) -> Set<UserID>? {
        guard previous[generation]?[partition] == before, folds[generation] == foldVersion, folds[before] == foldVersion
        else { return nil }
        let changed = differences[generation]?[partition] ?? []
        return changed.count < limit ? changed : nil
    }
}
