import EventStore
import FocusCore

@testable import SyncServer

/// Users without devices, for whom another server appends: one whom nobody can load, if the plan has them; and many, of
/// whom the first has very many rows, and whose events nobody has projected when all begins.
final class SimulatedCrowd {
    private static let hugeCount = 600
    private let plan: SimulationPlan
    private var random: SeededGenerator
    private let alone: UserID
    private let many: [UserID]

    init(_ plan: SimulationPlan, _ random: SeededGenerator) {
        var random = random
        self.plan = plan
        alone = UserID(random.uuid())
        many = (0..<plan.crowd).map { _ in UserID(random.uuid()) }
        self.random = random
    }

    var isEmpty: Bool { plan.brokenEvents == 0 && many.isEmpty }

    /// Those whom nobody can load.
    var broken: Set<UserID> { Set(many.suffix(plan.brokenCrowd)).union(plan.brokenEvents > 0 ? [alone] : []) }

    /// Whether the read model has everything of those who can be loaded.
    func isProjected(_ log: SimulatedLog) -> Bool {
        guard log.lag == 0 else { return false }
        return (many + [alone]).allSatisfy { user in
            log.broken.contains(user) || log.firstLacking(user, log.identity.partition(of: user)) == nil
        }
    }

    /// Appends what is there when all begins, and plans the rest. Everybody has events again at once: so more users are
    /// quarantined already than the checkpoint may pass in one batch.
    func begin(_ simulation: Simulation) {
        if !many.isEmpty {
            append(many, simulation)
            for index in 0..<Self.hugeCount { append(many[0], number: index, simulation) }
            simulation.after(Int(plan.duration) / 2, rank: 54) { [unowned self, unowned simulation] in
                append(many, simulation)
            }
        }
        for _ in 0..<plan.brokenEvents {
            simulation.after(random.number(0...Int(plan.duration)), rank: 54) { [unowned self, unowned simulation] in
                append([alone], simulation)
            }
        }
    }

    private func append(_ users: [UserID], _ simulation: Simulation) {
        for (index, user) in users.enumerated() {
            guard simulation.log.locks.isFree(simulation.log.identity.partition(of: user)) else {
                return simulation.after(1_000, rank: 54) { [unowned self, unowned simulation] in
                    append(Array(users[index...]), simulation)
                }
            }
            append(user, number: nil, simulation)
        }
    }

    /// - Parameter number: tells rows apart; nil: by how many events the user has.
    private func append(_ user: UserID, number: Int?, _ simulation: Simulation) {
        let log = simulation.log
        let head = log.head(log.identity.partition(of: user))
        let version = log.version(of: user)
        let time = max(simulation.clock.wall(), head.lastRecordedAt)
        let configured = FocusConfigured(focusID: "f\(number ?? Int(version.rawValue) % 3)", name: "\(version)")
        let event = Event(
            version: version.next, device: .server, incarnation: Incarnation(0),
            sequence: DeviceSequence(version.rawValue + 1), id: EventID(random.uuid()), app: nil, occurredAt: time,
            recordedAt: time, body: .focusConfigured(configured))
        var batch = PartitionAppend(behind: head, events: [])
        let logged = LoggedPayload(event.body)
        batch.append(
            event, of: user, type: logged.type, schemaVersion: logged.schemaVersion, payload: logged.payload)
        _ = log.append(batch)
    }
}
