import DequeModule
import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

/// Devices that send event after event, each as soon as the one before it is answered; and one that sends something now
/// and then.
@Suite struct CrowdTests {
    /// What one part of a run saw.
    private struct Part {
        /// For how long nothing was appended.
        var idleMilliseconds = Int64(0)
        /// How many events of the crowd were.
        var events = 0
        /// How long the quiet device waited for its answers.
        var waits: [Int64] = []
    }

    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()
    private let appends: LaneAppends
    private let crowd = UInt64(1)...16
    private var sessions: [UInt64: LaneSession] = [:]
    private var sent: [UInt64: Int64] = [:]

    init() throws {
        let store = store
        appends = LaneAppends(LaneSamples.context(time, LaneConfiguration()), NoService()) { _ in store.head }
        for id in [0] + crowd {
            let user = UserID.random()
            try users.load(user, from: store)
            sessions[id] = LaneSamples.session(id, LaneSamples.identity(user))
        }
    }

    private mutating func send(_ session: UInt64, _ count: Int = 1) {
        let events = (0..<count).map { _ in LaneSamples.focus() }
        appends.enqueue(LaneSamples.append(session, events, at: sent[session, default: 0] + 1))
        sent[session, default: 0] += Int64(count)
    }

    /// When a device of the crowd begins.
    private static func start(of session: UInt64) -> Int64 { 8 * Int64(session) }

    /// Appends for a while, each statement in 1 ms, and every 32nd in 8.
    /// - Parameter quiet: how many events session 0 sends at once, one number after the other, and how often, from `from`
    ///   on.
    private mutating func run(
        parts: Int, of milliseconds: Int64, quiet: (counts: [Int], every: Int64, from: Int64)? = nil
    ) -> [Part] {
        let began = time.now
        var passed: Int64 { time.now - began }
        var waiting = Deque(crowd)
        var (nextQuiet, quietSince, quietTurn) = (quiet?.from, Int64(0), 0)
        var counted = Array(repeating: Part(), count: parts)
        var statements = 0
        while passed < Int64(parts) * milliseconds {
            let part = Int(passed / milliseconds)
            while let next = waiting.first, passed >= Self.start(of: next) { send(waiting.removeFirst()) }
            if let quiet, let next = nextQuiet, passed >= next {
                send(0, quiet.counts[quietTurn % quiet.counts.count])
                (nextQuiet, quietSince, quietTurn) = (next + quiet.every, passed, quietTurn + 1)
            }
            guard let staging = stage() else {
                let next = [appends.nextRestEnds.map { $0 - began }, nextQuiet, waiting.first.map(Self.start)]
                // Whoever is held back is known to rest in the next turn.
                let pause = appends.isEmpty ? max(1, (next.compactMap { $0 }.min() ?? passed) - passed) : 1
                counted[part].idleMilliseconds += pause
                time.advance(pause)
                continue
            }
            let busySince = time.now
            statements += 1
            time.advance(statements % 32 == 0 ? 8 : 1)
            appends.ended(staging, busySince: busySince)
            for answer in staging.answers where answer.appended != nil {
                if answer.append.session == 0 {
                    counted[part].waits.append(passed - quietSince)
                } else {
                    counted[part].events += 1
                    send(answer.append.session)
                }
            }
            appends.putBack(staging.answers.compactMap(\.rest))
        }
        return counted
    }

    /// What the next statement carries; nil when it carries nothing.
    private func stage() -> AppendStaging? {
        appends.endRests()
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head], bounds: appends.bounds)
        appends.stage(
            into: &staging, users, session: { sessions[$0] }, connected: { _ in [] }, foldFailed: { _, _ in })
        return staging.answers.isEmpty ? nil : staging
    }

    @Test("Q1: devices that begin together and go on sending do not rest for each other")
    mutating func beginsTogether() {
        let parts = run(parts: 4, of: 500)
        #expect(parts.allSatisfy { $0.idleMilliseconds <= 32 && $0.events >= 4_000 }, "\(parts)")
    }

    @Test(
        "Q1: while somebody is quiet, a burst of theirs now and then included, bulk rests, and they do not wait long",
        arguments: [([1], 16), ([1, 1, 20], 48)] as [([Int], Int64)])
    mutating func restsForQuiet(counts: [Int], most: Int64) {
        let parts = run(parts: 4, of: 1_000, quiet: (counts, 300, 0))
        // Alone they append 13,000 in a second.
        #expect(parts.dropFirst().allSatisfy { (1...4_000).contains($0.events) }, "\(parts)")
        let waits = parts.flatMap(\.waits)
        #expect(waits.count >= 13 && waits.allSatisfy { $0 <= most }, "\(waits)")
    }

    @Test("Q1: bulk makes room for a second behind the last event of who was quiet, and no longer")
    mutating func quietEnds() {
        let parts = run(parts: 10, of: 250, quiet: ([1], 60_000, 1_000))
        #expect(parts[4...7].allSatisfy { $0.events <= 1_000 }, "\(parts)")
        #expect(parts[8...].allSatisfy { $0.idleMilliseconds <= 32 && $0.events >= 2_500 }, "\(parts)")
    }
}
