import DequeModule
import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

/// Devices that send event after event, each as soon as the one before it is answered.
@Suite struct CrowdTests {
    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()
    private let appends: LaneAppends
    private var sessions: [UInt64: LaneSession] = [:]
    private var sent: [UInt64: Int64] = [:]

    init() throws {
        let store = store
        appends = LaneAppends(LaneSamples.context(time, LaneConfiguration()), NoService()) { _ in store.head }
        for id in UInt64(0)...16 {
            let user = UserID.random()
            try users.load(user, from: store)
            sessions[id] = LaneSamples.session(id, LaneSamples.identity(user))
        }
    }

    private mutating func send(_ session: UInt64) {
        let sequence = sent[session, default: 0] + 1
        sent[session] = sequence
        appends.enqueue(LaneSamples.append(session, [LaneSamples.focus()], at: sequence))
    }

    /// Appends for a while, each statement in 1 ms, and every 32nd in 8. Sessions 1 to 16 send event after event.
    /// - Parameter period: how often session 0 sends an event; nil: never.
    /// - Returns: for how long nothing was appended, and how many events of the crowd were, in the parts of that while.
    private mutating func run(
        milliseconds: Int64, parts: Int64, quietEvery period: Int64? = nil
    ) -> [(idle: Int64, events: Int)] {
        let began = time.now
        var nextQuiet = period.map { _ in began }
        var counted = Array(repeating: (idle: Int64(0), events: 0), count: Int(parts))
        var statements = 0
        var waiting = Deque(UInt64(1)...16)
        while time.now - began < milliseconds {
            while let next = waiting.first, time.now - began >= 8 * Int64(next) { send(waiting.removeFirst()) }
            let part = Int((time.now - began) * parts / milliseconds)
            if let next = nextQuiet, let period, next <= time.now {
                send(0)
                nextQuiet = next.adding(milliseconds: period)
            }
            appends.endRests()
            var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head], bounds: appends.bounds)
            let (sessions, busySince) = (sessions, time.now)
            appends.stage(
                into: &staging, users, session: { sessions[$0] }, connected: { _ in [] }, foldFailed: { _, _ in })
            guard !staging.answers.isEmpty else {
                let next = [appends.nextRestEnds, nextQuiet].compactMap { $0 }.min()
                let pause = max(1, (next ?? time.now) - time.now)
                counted[part].idle += pause
                time.advance(pause)
                continue
            }
            statements += 1
            time.advance(statements % 32 == 0 ? 8 : 1)
            appends.ended(staging, busySince: busySince)
            for answer in staging.answers where answer.append.session > 0 {
                counted[part].events += 1
                send(answer.append.session)
            }
        }
        return counted
    }

    @Test("Q1: devices that begin together and go on sending do not rest for each other")
    mutating func beginsTogether() {
        let parts = run(milliseconds: 2_000, parts: 4)
        #expect(parts.allSatisfy { $0.idle <= 64 && $0.events >= 3_000 }, "\(parts)")
    }

    @Test("Q1: while somebody asks for little now and then, such devices rest")
    mutating func restsForQuiet() {
        let parts = run(milliseconds: 4_000, parts: 4, quietEvery: 300)
        #expect(parts.dropFirst().allSatisfy { $0.idle >= 500 && $0.events > 0 }, "\(parts)")
    }
}
