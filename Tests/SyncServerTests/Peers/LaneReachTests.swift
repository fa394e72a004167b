import EventStore
import FocusCore
import FocusWire
import Foundation
import Testing

@testable import SyncServer

/// What a lane answers to who asks whether a message would reach its users (rules F6, V5).
@Suite struct LaneReachTests {
    private let chat = AppID("com.example.chat")!
    private let anna = UserID(UUID())
    private let asker = UserID(UUID())
    private let users = PartUsers()
    private let time = PartTime()
    private let connections = PartConnections()
    private let deliveries = DeliveryBatch()

    private func watchers() -> (LaneWatchers, LaneContext) {
        let context = LaneSamples.context(time)
        context.freshness.confirm(lane: 0, at: time.now)
        return (LaneWatchers(context, deliveries), context)
    }

    private func ask(_ watchers: LaneWatchers, session: UInt64 = 1, request: UInt64 = 7) {
        let viewer = Viewer(user: asker, scope: .app(chat))
        watchers.ask(
            PeerQuestion(
                connections.handle(session), viewer, request: request, ReachQuestion(user: anna, app: chat)))
    }

    /// The frames that the session was sent, byte for byte.
    private func frames(_ session: UInt64 = 1) -> [[UInt8]] {
        connections.deliveries(session, deliveries).compactMap { delivery in
            if case .reach(let frame) = delivery { frame } else { nil }
        }
    }

    private func frame(_ reach: Reach, request: UInt64 = 7) -> [UInt8] {
        FrameCodec.frame(ServerMessage.fetched(Fetched(request: request, version: .zero, .reach(reach))))
    }

    private func answer(_ watchers: LaneWatchers, isPossible: Bool) throws {
        let question = try #require(
            watchers.ask { partition in
                var head = PartLog().head
                head.partition = partition
                return head
            })
        let found = FoundAudiences(possible: isPossible ? Set(question.entries) : [], heads: [PartLog().head])
        watchers.takeUp(AudienceAnswer(number: question.number, found: .success(found))) { _ in true }
    }

    /// Anna shares her status with the asker.
    private func log(shares: Bool = true) -> PartLog {
        let log = PartLog()
        let registered = AppRegistered(
            name: "Chat", build: 1, capabilities: [.communication], focusStatusUsageDescription: "why")
        log.append(.appRegistered(registered), of: anna, app: chat)
        for kind in [AuthorizationKind.notifications, .focusStatus] {
            let authorization = AuthorizationChanged(kind: kind, status: .authorized)
            log.append(.authorizationChanged(authorization), of: anna, app: chat)
        }
        if shares { log.append(.audienceChanged(AudienceChanged(add: [asker])), of: anna, app: chat) }
        return log
    }

    @Test("F6: a member's question loads the user and is answered; nothing is said while a lane is not fresh")
    func member() throws {
        let (watchers, context) = watchers()
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames().isEmpty && watchers.awaitingLoad.isEmpty)
        try answer(watchers, isPossible: true)
        #expect(watchers.awaitingLoad == [anna])
        try users.load(anna, from: log())
        watchers.endWaits(users.isAwaitingLoad)
        time.advance(1_000)
        watchers.answerQuestions(users)
        #expect(frames().isEmpty && watchers.nextDeadline == time.now.adding(milliseconds: 50))
        context.freshness.confirm(lane: 0, at: time.now)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.ringsNow)])
    }

    @Test("F6: strangers, quarantined users and users without events are answered with the same bytes")
    func strangers() throws {
        let (watchers, _) = watchers()
        ask(watchers)
        watchers.answerQuestions(users)
        try answer(watchers, isPossible: false)
        #expect(watchers.awaitingLoad.isEmpty, "nobody is loaded for a stranger")
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.untold)])
        users.quarantined = [anna]
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.untold)])
        users.quarantined = []
        for log in [log(shares: false), PartLog()] {
            try users.load(anna, from: log)
            ask(watchers)
            watchers.answerQuestions(users)
            #expect(frames() == [frame(.untold)])
        }
    }

    @Test("F6: a member under a Focus without an end is answered with the bytes of a stranger")
    func alike() throws {
        let (watchers, _) = watchers()
        let log = log()
        log.append(.focusConfigured(FocusConfigured(focusID: "f", name: "F")), of: anna)
        log.append(.focusChanged(FocusChanged(focusID: "f", isActive: true)), of: anna)
        let state = try users.load(anna, from: log).state
        #expect(state.status(in: chat, shownTo: Viewer(user: asker, scope: .app(chat))) == true)
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.untold)])
    }

    @Test("V5, V2: who asks again is told the same for a minute, and nothing any more once removed from the audience")
    func again() throws {
        let (watchers, context) = watchers()
        let log = log()
        try users.load(anna, from: log)
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.ringsNow)])
        log.append(.appMuted(AppMuted(until: Timestamp(microseconds: .max))), of: anna, app: chat)
        try users.load(anna, from: log)
        ask(watchers, request: 8)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.ringsNow, request: 8)], "the mute does not show at once")
        time.advance(60_000)
        context.freshness.confirm(lane: 0, at: time.now)
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.untold)])
        log.append(.appUnmuted, of: anna, app: chat)
        try users.load(anna, from: log)
        time.advance(60_000)
        context.freshness.confirm(lane: 0, at: time.now)
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.ringsNow)])
        log.append(.audienceChanged(AudienceChanged(remove: [asker])), of: anna, app: chat)
        try users.load(anna, from: log)
        ask(watchers)
        watchers.answerQuestions(users)
        #expect(frames() == [frame(.untold)])
    }

    @Test("V2: an answer about another user rests on the heads of all lanes, as statuses do")
    func rests() {
        #expect(SessionDelivery.reach(frame: []).restsOnAllLanes && SessionDelivery.reach(frame: []).isNews)
        #expect(!SessionDelivery.fetched(frame: []).restsOnAllLanes)
    }
}
