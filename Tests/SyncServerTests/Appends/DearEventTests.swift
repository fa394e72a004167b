import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Events that take much, of devices and by the clock, and who waits for them.
@Suite struct DearEventTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()

    /// A lane for which an event is dear from 250 units on, and Anna's session 1 and Ben's session 2.
    private func lane() throws -> (LaneAppends, [UInt64: LaneSession]) {
        for id in [anna, ben] { try users.load(id, from: store) }
        var configuration = LaneConfiguration()
        configuration.workOfDearEvent = 250
        return (
            LaneAppends(LaneSamples.context(time, configuration), NoService()) { [store] _ in store.head },
            [
                1: LaneSamples.session(1, LaneSamples.identity(anna)),
                2: LaneSamples.session(2, LaneSamples.identity(ben)),
            ]
        )
    }

    /// An event of which the payload alone is some four hundred units.
    private func dear(_ id: String) -> EventBody {
        let people = (0..<500).map { String(repeating: "x", count: 100) + "\($0)" }
        return .focusConfigured(FocusConfigured(focusID: id, name: id, allowedPeople: Set(people.map { ByteText($0) })))
    }

    /// Stages the frames of one statement.
    /// - Parameter due: whose dear event falls due by the clock; nil: nobody's.
    private func stage(
        _ appends: LaneAppends, _ sessions: [UInt64: LaneSession], due: UserID? = nil
    ) throws -> AppendStaging {
        var staging = AppendStaging(
            time.clock, behind: [PartLog.partition: store.head], bounds: appends.bounds)
        if let due {
            let user = try #require(users[due])
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: staging.now, recordedAt: staging.now, body: dear("due"))
            try staging.record(event, LoggedPayload(event.body), user)
        }
        appends.stage(
            into: &staging, users, session: { sessions[$0] }, connected: { _ in [] }, foldFailed: { _, _ in })
        return staging
    }

    @Test("Q1: a device rests a hundred times as long as its dear events took, together; others go on meanwhile")
    func rests() throws {
        let (appends, sessions) = try lane()
        appends.enqueue(LaneSamples.append(1, [dear("a"), LaneSamples.focus(), dear("b")]))
        let charged = try stage(appends, sessions).work
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 4))
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()]))
        #expect(try stage(appends, sessions).answers.map(\.append.session) == [2])
        let end = try #require(appends.nextRestEnds)
        // The event that is not dear, and the one that begins the incarnation, are not counted.
        let dear = (end - time.now) * Int64(Work.perRestMillisecond)
        #expect(dear > 2 * 400 && dear < Int64(charged) - 30)
        time.advance(end - time.now)
        appends.endRests()
        #expect(try stage(appends, sessions).answers.map(\.append.session) == [1])
    }

    @Test(
        "Q1: no device rests for what fell due by the clock, be it the user's own or another's",
        arguments: [true, false])
    func due(isOwn: Bool) throws {
        let (appends, sessions) = try lane()
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()]))
        let staging = try stage(appends, sessions, due: isOwn ? ben : anna)
        #expect(staging.answers.count == 1 && staging.work > 400)
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()], at: 2))
        #expect(try stage(appends, sessions).answers.count == 1 && appends.nextRestEnds == nil)
    }

    @Test("Q1: bulk makes no room for a user for whom something falls due; it does for one who appends")
    func madeByServer() throws {
        let (appends, sessions) = try lane()
        let bulk = (0..<40).map { LaneSamples.focus("f\($0)") }
        appends.enqueue(LaneSamples.append(1, bulk))
        appends.ended(try stage(appends, sessions, due: ben), busySince: time.now)
        #expect(appends.bounds.ofHeavyUsers == .max)
        appends.enqueue(LaneSamples.append(1, bulk, at: 41))
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()]))
        appends.ended(try stage(appends, sessions), busySince: time.now)
        #expect(appends.bounds.ofHeavyUsers < .max)
    }
}
