import EventStore
import FocusCore
import Foundation
import Testing

@testable import SyncServer

/// Frames of several sessions on their way into one statement.
@Suite struct LaneAppendsTests {
    private let anna = UserID(UUID())
    private let ben = UserID(UUID())
    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()
    private let finder = Finder()

    private final class Finder: LanePlaceFinder {
        var questions: [(PlaceQuestion, UInt64)] = []
        func start() {}
        func stop() {}
        func post(_ question: PlaceQuestion, session: UInt64) { questions.append((question, session)) }
    }

    private func appends(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneAppends {
        var configuration = LaneConfiguration()
        change(&configuration)
        return LaneAppends(LaneSamples.context(time, configuration), finder) { [store] _ in store.head }
    }

    /// Stages the frames of one statement.
    private func stage(
        _ appends: LaneAppends, _ sessions: [UInt64: LaneSession], bounds: WorkBounds = WorkBounds(),
        failed: (UserID) -> Void = { _ in }
    ) -> AppendStaging {
        var staging = AppendStaging(time.clock, behind: [PartLog.partition: store.head], bounds: bounds)
        appends.stage(
            into: &staging, users, session: { sessions[$0] },
            connected: { user in
                Set(sessions.values.filter { $0.identity.user == user }.map(\.identity.device))
            },
            foldFailed: { user, _ in failed(user) })
        return staging
    }

    private func waiting(_ appends: LaneAppends) -> [UInt64] { appends.sessions.sorted() }

    @Test("Frames are staged in their order, up to the statement's bound; the rest is next")
    func bound() throws {
        let appends = appends { $0.eventsPerStatement = 2 }
        try users.load(anna, from: store)
        let session = LaneSamples.session(1, LaneSamples.identity(anna))
        for sequence in Int64(1)...3 { appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: sequence)) }
        // The first frame also stages the event that begins its incarnation, so it fills the statement.
        #expect(stage(appends, [1: session]).answers.count == 1 && waiting(appends) == [1])
        #expect(appends.expected == 0 && appends.last(of: session) == DeviceSequence(3))
        #expect(stage(appends, [1: session]).answers.count == 2 && appends.isEmpty && appends.expected == 2)
    }

    @Test("P6: what waits for its user waits before all that its session sends after it; others go on")
    func postponed() throws {
        let appends = appends()
        try users.load(ben, from: store)
        let sessions = [
            UInt64(1): LaneSamples.session(1, LaneSamples.identity(anna)),
            2: LaneSamples.session(2, LaneSamples.identity(ben)),
        ]
        for session in [UInt64(1), 2, 1] { appends.enqueue(LaneSamples.append(session, [LaneSamples.focus()])) }
        let staging = stage(appends, sessions)
        #expect(
            staging.answers.map(\.append.session) == [2] && appends.isEmpty && Array(appends.awaitingLoad) == [anna])
        appends.enqueue(LaneSamples.append(2, [], at: 2))
        appends.endWaits(users.isAwaitingLoad)
        #expect(waiting(appends) == [2])
        try users.load(anna, from: store)
        appends.endWaits(users.isAwaitingLoad)
        #expect(waiting(appends) == [1, 2] && appends.awaitingLoad.isEmpty)
    }

    @Test("G2: frames whose user is being loaded are withdrawn too, in their order")
    func withdrawn() {
        let appends = appends()
        let session = LaneSamples.session(1, LaneSamples.identity(anna))
        for sequence in Int64(1)...2 { appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: sequence)) }
        _ = stage(appends, [1: session])
        #expect(appends.last(of: session) == DeviceSequence(2))
        #expect(appends.withdraw(because: "away", where: { $0 != 1 }).isEmpty)
        let answers = appends.withdraw(because: "away")
        #expect(answers.map(\.append.request.firstSequence.rawValue) == [1, 2] && appends.awaitingLoad.isEmpty)
    }

    @Test("A3: a device that is connected and has appended nothing is revoked past the bound; one that is away is not")
    func connected() throws {
        let appends = appends()
        for _ in 0..<EventLimits.revokedUnseenDevices {
            store.append(.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))), of: anna)
        }
        try users.load(anna, from: store)
        let reader = LaneSamples.identity(anna)
        let sessions = [
            UInt64(1): LaneSamples.session(1, LaneSamples.identity(anna)), 2: LaneSamples.session(2, reader),
        ]
        appends.enqueue(
            LaneSamples.append(
                1, [DeviceID(UUID()), reader.device].map { .deviceRevoked(DeviceRevoked(device: $0)) }))
        let appended = stage(appends, sessions).answers.first?.appended
        #expect(appended?.throughSequence == DeviceSequence(2))
        #expect(appended?.refused.map(\.sequence) == [DeviceSequence(1)])
        #expect(appended?.refused.first?.code == "too_many")
    }

    @Test("A frame of a session that is gone gives its bytes back")
    func gone() {
        let context = LaneSamples.context(time)
        let appends = LaneAppends(context, finder) { [store] _ in store.head }
        _ = context.budget.reserve(InboundCharge(bytes: 100, owner: .connection(1))) {}
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()]))
        #expect(stage(appends, [:]).isEmpty && appends.isEmpty && context.budget.used == 0)
    }

    /// Anna's session 1, which will append bulk, and Ben's session 2.
    private func rivals() throws -> (LaneAppends, [UInt64: LaneSession], bulk: [EventBody]) {
        for id in [anna, ben] { try users.load(id, from: store) }
        return (
            appends { ($0.lightWork, $0.bulkRestMilliseconds) = (100, 250) },
            [
                1: LaneSamples.session(1, LaneSamples.identity(anna)),
                2: LaneSamples.session(2, LaneSamples.identity(ben)),
            ],
            (0..<40).map { LaneSamples.focus("f\($0)") }
        )
    }

    @Test(
        "Q1: bulk rests when a lane without a pause is busy for long between two answers, and not when it had nothing to do",
        arguments: [true, false])
    func busyBetween(isBusy: Bool) throws {
        let (appends, sessions, bulk) = try rivals()
        let began = time.now
        for turn in Int64(0)..<2 {
            appends.enqueue(LaneSamples.append(1, bulk, at: 1 + 40 * turn))
            appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()], at: 1 + turn))
            time.advance(turn * 100)
            let staging = stage(appends, sessions, bounds: appends.bounds)
            let pausedAt = time.now
            time.advance(1)
            appends.ended(staging, busySince: isBusy ? began : pausedAt)
        }
        #expect((appends.bounds.ofHeavyUsers == 0) == isBusy)
    }

    @Test("Q1: a frame of which only the answer is missing is answered while bulk rests")
    func answersWhileBulkRests() throws {
        let (appends, sessions, bulk) = try rivals()
        for (turn, milliseconds) in [Int64(1), 100].enumerated() {
            appends.enqueue(LaneSamples.append(1, bulk, at: 1 + 40 * Int64(turn)))
            appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()], at: 1 + Int64(turn)))
            let (began, staging) = (time.now, stage(appends, sessions, bounds: appends.bounds))
            time.advance(milliseconds)
            appends.ended(staging, busySince: began)
        }
        #expect(appends.bounds.ofHeavyUsers == 0)
        _ = appends.removeAll()
        let last = try #require(
            users[anna]?.state.lastSequence(of: sessions[1]!.identity.device, incarnation: Incarnation(1)))
        var frame = LaneSamples.append(1, [LaneSamples.focus()], at: last.rawValue)
        let subject = ReceiptSubject(
            log: LaneSamples.log, user: anna, device: sessions[1]!.identity.device, incarnation: Incarnation(1),
            scope: .system)
        frame.progress = AppendProgress(ReceiptRun(key: nil, subject: subject), offer: nil)
        frame.progress?.taken = 1
        appends.putBack([frame])
        let answers = stage(appends, sessions, bounds: appends.bounds).answers
        #expect(answers.map(\.appended?.throughSequence) == [last] && appends.isEmpty)
    }

    @Test("Q5: past the quota of a day nothing of a device is taken until some of it has flowed back; others go on")
    func quota() throws {
        let appends = appends { $0.eventsPerDay = 4 }
        try users.load(anna, from: store)
        let sessions = [
            UInt64(1): LaneSamples.session(1, LaneSamples.identity(anna)),
            2: LaneSamples.session(2, LaneSamples.identity(anna)),
        ]
        for sequence in stride(from: Int64(1), to: 6, by: 2) {
            appends.enqueue(LaneSamples.append(1, [LaneSamples.focus(), LaneSamples.focus()], at: sequence))
        }
        let staging = stage(appends, sessions)
        #expect(staging.answers.map { $0.appended?.throughSequence.rawValue } == [2, 4, nil])
        let error = try #require(staging.answers.last?.error)
        #expect(error.code == .quotaExceeded && error.sequence == DeviceSequence(5))
        #expect(error.retryAfterMilliseconds == 21_600_000)
        // What was not committed is not counted: the same events may be staged again.
        #expect(staging.used.values.map(\.events) == [4])
        appends.committed(staging.used)

        sessions[1]?.awaited = AwaitedPlaces()
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 5))
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()], at: 1))
        let next = stage(appends, sessions).answers
        #expect(next.count == 2)
        #expect(next.first { $0.append.session == 1 }?.error?.code == .quotaExceeded)
        #expect(next.first { $0.append.session == 2 }?.error == nil)
        time.advance(21_600_000)
        sessions[1]?.awaited = AwaitedPlaces()
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 5))
        #expect(stage(appends, sessions).answers.map(\.error) == [nil])
    }

    @Test("Q5: an event that is refused is counted too")
    func quotaOfRefused() throws {
        let appends = appends { $0.eventsPerDay = 1 }
        try users.load(anna, from: store)
        let session = LaneSamples.session(1, LaneSamples.identity(anna))
        // The app is not registered.
        let refused = try #require(AppID("com.example.none"))
        appends.enqueue(LaneSamples.append(1, [.badgeCleared], app: refused))
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 2))
        let answers = stage(appends, [1: session]).answers
        #expect(answers.map(\.error?.code) == [nil, .quotaExceeded])
        #expect(answers.first?.appended?.refused.map(\.code) == [RefusalCode.appUnknown.rawValue])
    }

    @Test("Q5: bytes of payloads are counted too")
    func quotaOfBytes() throws {
        let appends = appends { $0.bytesPerDay = 1_000 }
        try users.load(anna, from: store)
        let session = LaneSamples.session(1, LaneSamples.identity(anna))
        let large = EventBody.preferenceChanged(
            PreferenceChanged(key: "a", value: .string(String(repeating: "x", count: 600))))
        for sequence in Int64(1)...2 { appends.enqueue(LaneSamples.append(1, [large], at: sequence)) }
        #expect(stage(appends, [1: session]).answers.map(\.error?.code) == [nil, .quotaExceeded])
    }

    @Test("A quarantined user's frames are answered so, and a fold that fails is told")
    func quarantined() throws {
        let appends = appends()
        users.quarantined = [anna]
        let session = LaneSamples.session(1, LaneSamples.identity(anna))
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()]))
        #expect(stage(appends, [1: session]).answers.map(\.error?.code) == [.userQuarantined])
    }

    @Test("E1: a frame about earlier places asks what stands there, and what its session sends after it joins it")
    func looksUp() throws {
        let appends = appends()
        let phone = DeviceID(UUID())
        let began = DeviceIncarnationBegan(device: phone, incarnation: Incarnation(1), scope: .system)
        store.append(.deviceIncarnationBegan(began), of: anna, device: .server)
        store.appendFocus("a", of: anna, device: phone)
        try users.load(anna, from: store)
        let session = LaneSamples.session(1, LaneSamples.identity(anna, phone))
        for sequence in Int64(1)...2 { appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: sequence)) }
        #expect(stage(appends, [1: session]).isEmpty && appends.isEmpty && session.looksUp.count == 2)
        #expect(finder.questions.map(\.1) == [1] && finder.questions.first?.0.anchor == store.head.anchor)
        #expect(finder.questions.first?.0.work == Work.lookUp + Work.place)
        #expect(appends.last(of: session) == DeviceSequence(2))
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 3))
        #expect(appends.last(of: session) == DeviceSequence(3))
    }

    @Test("E4: while the clock is wrong everything is to be sent again, and nothing waits")
    func withdrawAll() {
        let appends = appends()
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()]))
        let answers = appends.withdraw(because: "", of: { _ in nil })
        #expect(answers.map(\.error?.code) == [.unavailable] && appends.isEmpty)
    }

    @Test("E4, P6: while the clock is wrong, frames behind one that is looked up wait for its answer, and for no turn")
    func withdrawBehindLookUp() {
        let appends = appends()
        let sessions = [
            UInt64(1): LaneSamples.session(1, LaneSamples.identity(anna)),
            2: LaneSamples.session(2, LaneSamples.identity(ben)),
        ]
        sessions[1]?.looksUp = [LaneSamples.append(1, [LaneSamples.focus()])]
        appends.enqueue(LaneSamples.append(1, [LaneSamples.focus()], at: 2))
        appends.enqueue(LaneSamples.append(2, [LaneSamples.focus()]))
        let answers = appends.withdraw(because: "", of: { sessions[$0] })
        #expect(answers.map(\.append.session) == [2] && appends.isEmpty)
        #expect(sessions[1]?.looksUp.map(\.request.firstSequence.rawValue) == [1, 2])
    }

    @Test("What is put back is before all that came later, in its order")
    func putBack() {
        let appends = appends()
        appends.enqueue(LaneSamples.append(3, []))
        appends.putBack([LaneSamples.append(1, []), LaneSamples.append(2, [])])
        #expect(waiting(appends) == [1, 2, 3] && appends.removeAll().count == 3 && appends.isEmpty)
    }
}
