import EventStore
import FocusCore

/// The database servers: which connections reach the one that writes the log, and what becomes of them when it crashes,
/// or when another one takes over.
final class SimulatedDatabase {
    private struct Open {
        weak var connection: SimulatedConnection?
    }

    /// The server that writes the log.
    let log: SimulatedLog
    private let clock: SimulatedClock
    /// Behind a pooler connections outlive the server that they reach.
    private let isPooled: Bool
    private var open: [Open] = []
    private var random: SeededGenerator
    private var awayUntil: Int64 = 0
    /// When something last happened to the database for which devices may be told `unavailable`.
    private(set) var troubledAt = Int64.min / 2

    init(_ log: SimulatedLog, _ clock: SimulatedClock, seed: UInt64, isPooled: Bool) {
        (self.log, self.clock, self.isPooled) = (log, clock, isPooled)
        random = SeededGenerator(seed: seed, of: "database")
    }

    /// Whether no server answers that writes the log.
    var isAway: Bool { clock.now < awayUntil }

    func connected(_ connection: SimulatedConnection) {
        open.removeAll { $0.connection?.isUsable != true }
        open.append(Open(connection: connection))
    }

    /// - Parameter end: until when what happens lasts, where that is known.
    func isTroubled(until end: Int64 = 0) { troubledAt = max(troubledAt, clock.now, awayUntil, end) }

    /// The server crashes, and recovers; now and then that takes a while.
    func crash() {
        if random.once(in: 8) { awayUntil = clock.now + Int64(random.number(0...1_000_000)) }
        isTroubled()
        guard !isPooled else { return }
        for connection in connections { connection.cut() }
    }

    /// Another server is about to take over. Connections to the one before end; or they stay, and it goes on answering
    /// who reads, as of now, for as long as somebody is connected to it.
    func demote(in history: Int) {
        isTroubled()
        guard !isPooled else { return }
        let answers = random.once(in: 2)
        let old = log.demoted(in: history)
        for connection in connections {
            if answers, random.once(in: 2) { connection.stay(with: old) } else { connection.cut() }
        }
        if random.once(in: 4) { awayUntil = clock.now + Int64(random.number(0...1_000_000)) }
        isTroubled()
    }

    private var connections: [SimulatedConnection] {
        open.compactMap(\.connection).filter { $0.isUsable && $0.log === log }
    }
}
