import FocusCore
import PostgresClient

@testable import EventStore

/// One thread's way to the database: a real `StoreConnection` over connections that fail as the seed says, and whose
/// waits let the rest of the world go on.
final class SimulatedAccess {
    /// How long an answer may take before a connection is given up, and how long `resolveInDoubt` waits for a lock.
    static let silence = Duration.seconds(3)
    static let lockWait = Duration.seconds(1)

    /// What a thread has seen of a user.
    struct Sight {
        enum What {
            /// The event of the version, and none before it.
            case event
            /// The state of the version, which knows all before.
            case state
            /// That events up to the version revoke devices, and nothing of them.
            case revocations
        }

        let user: UserID
        let version: Version
        /// See `Simulation.history`.
        let history: Int
        let what: What
    }

    unowned let simulation: Simulation
    var random: SeededGenerator
    /// Whether the process has died.
    let isStopping: () -> Bool
    /// Lets microseconds pass on the thread.
    private let pause: (Int64) -> Void
    /// The rules by which the thread's program folds.
    private let rules: FoldRules
    /// The partitions that the thread of a rebuild holds.
    weak var held: SimulatedLocks.Transaction?
    /// Called before each call over a connection; the connections of devices go on meanwhile.
    var willCall: () throws -> Void = {}
    /// Called after a look for where loads stand in the log.
    var didPlaceLoads: () throws -> Void = {}
    var didSee: (Sight) -> Void = { _ in }
    /// How often in a row a batch for each partition came too late.
    private var late: [Partition: Int] = [:]

    var database: SimulatedDatabase { simulation.database }
    /// Asked each time, because all faults end when the simulation heals.
    var faults: SimulationPlan.Faults { simulation.faults }

    init(
        _ simulation: Simulation, _ random: SeededGenerator, rules: FoldRules = .current,
        isStopping: @escaping () -> Bool,
        pause: @escaping (Int64) -> Void
    ) {
        self.simulation = simulation
        self.random = random
        (self.rules, self.isStopping, self.pause) = (rules, isStopping, pause)
    }

    func makeStore() -> StoreConnection {
        // All runs on one thread; only `StoreConnection` demands Sendable closures.
        nonisolated(unsafe) let access = self
        return StoreConnection(
            StoreConfiguration(PostgresConfiguration(conninfo: ""), rules: rules),
            StoreAccess(
                connect: { try access.connect($0) }, sleep: { access.sleep($0) },
                fraction: { Double(access.random.number(0...1_000)) / 1_000 }),
            isStopping: { access.isStopping() },
            onTrouble: { error in access.simulation.trace("the database: \(error.message)") })
    }

    /// True once in `times` on average; then the database is in trouble.
    func fails(once times: Int) -> Bool {
        guard random.once(in: times) else { return false }
        database.isTroubled()
        return true
    }

    func sleep(_ duration: Duration) {
        let wait = max(1, Int64(duration / .microseconds(1)))
        held?.orphanedUntil = simulation.clock.now + wait
        pause(wait)
    }

    func connect(_ whileWaiting: @escaping () -> Void) throws -> SimulatedConnection {
        try willCall()
        guard !isStopping() else { throw StoreStopped() }
        guard !fails(once: faults.refuses), !database.isAway || simulation.plan.isPooled else {
            throw PostgresError(kind: .cannotConnect, message: "refused")
        }
        let connection = SimulatedConnection(self, database.log, whileWaiting)
        database.connected(connection)
        return connection
    }

    func judgeContention(_ partition: Partition, _ outcome: PartitionOutcome?) {
        late[partition] = outcome == .behind ? late[partition, default: 0] + 1 : 0
        if let limit = simulation.plan.lateLimit, late[partition, default: 0] > limit {
            simulation.witness.fail("\(late[partition, default: 0]) appends to \(partition) in a row came too late")
        }
    }
}
