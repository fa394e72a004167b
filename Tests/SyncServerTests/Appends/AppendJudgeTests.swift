import EventStore
import FocusCore
import FocusWire
import Foundation
import Support
import Testing

@testable import SyncServer

/// Tests what is logged of a frame and what its device is told.
@Suite struct AppendJudgeTests {
    private let chat = AppID("com.example.chat")!
    private let device = DeviceID(UUID())
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)

    /// A user, a session of one of the user's devices, and the staging of one statement.
    private struct Stage {
        var judge: AppendJudge
        var user: CachedUser
        var session: LaneSession
        var staging: AppendStaging
    }

    private func stage(
        _ scope: Scope = .system, of id: UserID = .random(), incarnation: Int64 = 1, key: ReceiptKey? = nil,
        userBytes: Int = .max, eventsPerDay: Int = 1_000, workPerStatement: Int = .max
    ) -> Stage {
        var configuration = LaneConfiguration()
        configuration.eventsPerDay = eventsPerDay
        let partition = Partition(0)
        let clock = ServerClock(monotonic: { MonotonicTime(milliseconds: 0) }, wall: { [now] in now }, step: { 7 })
        let head = PartitionHead(
            partition: partition, nextOffset: LogOffset(10), lastEvent: .random(), lastRecordedAt: now, generation: 1)
        let user = CachedUser(
            id: id, partition: partition, generation: 1, state: UserState(user: id), dirty: [],
            projectedVersion: .zero, lastUsed: 0)
        return Stage(
            judge: AppendJudge(
                log: LaneSamples.log, receiptKey: key, clock: clock,
                format: LogFormat(EventStore.incarnationFormat), userBytes: userBytes,
                quotas: AppendQuotas(configuration), quarantineMilliseconds: 30_000),
            user: user,
            session: LaneSamples.session(1, LaneSamples.identity(id, device, scope), incarnation),
            staging: AppendStaging(
                clock, behind: [partition: head], bounds: WorkBounds(ofStatement: workPerStatement)))
    }

    private func event(_ body: EventBody, _ app: AppID? = nil, id: EventID = .random()) -> IncomingEvent {
        IncomingEvent(
            decoding: Envelope(
                id: id, type: body.type.rawValue, app: app?.rawValue, occurredAt: now,
                schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(body)))
    }

    private func focus(_ id: EventID = .random()) -> IncomingEvent {
        event(.focusChanged(FocusChanged(focusID: "work", isActive: true)), id: id)
    }

    private func append(
        _ stage: inout Stage, _ events: [IncomingEvent], at sequence: Int64 = 1, healing: IncomingHealing? = nil,
        found: FoundPlaces? = nil
    ) -> AppendJudge.Verdict {
        let request = IncomingAppend(
            firstSequence: DeviceSequence(sequence), events: events,
            charge: InboundCharge(bytes: 100, owner: .connection(1)), healing: healing
        )
        return stage.judge.judge(
            PendingAppend(session: 1, request: request, found: found), of: stage.session, stage.user,
            into: &stage.staging)
    }

    private func isStaged(_ verdict: AppendJudge.Verdict) -> Bool { if case .staged = verdict { true } else { false } }

    private func logged(_ stage: Stage) -> [EventType] {
        stage.staging.batches[stage.user.partition]?.events.compactMap { EventType(rawValue: $0.type) } ?? []
    }

    @Test("E1: the time of a statement's events is past that of all before them, whatever the clock says")
    func recordingTime() {
        let partition = Partition(0)
        let head = PartitionHead(
            partition: partition, nextOffset: LogOffset(10), lastEvent: .random(),
            lastRecordedAt: Timestamp(microseconds: 1_000), generation: 1)
        for (wall, time) in [(Int64(0), Int64(1_007)), (1_000, 1_007), (1_007, 1_007), (2_000, 2_000)] {
            let clock = ServerClock(
                monotonic: { MonotonicTime(milliseconds: 0) }, wall: { Timestamp(microseconds: wall) }, step: { 7 })
            let staging = AppendStaging(clock, behind: [partition: head])
            #expect(staging.recordingTime(of: partition) == Timestamp(microseconds: time))
        }
    }

    @Test("P10, E1: what says whose an incarnation is stands before its first event, past all that is logged")
    func begins() throws {
        var stage = stage()
        #expect(isStaged(append(&stage, [focus()])))
        #expect(logged(stage) == [.deviceIncarnationBegan, .focusChanged])
        let batch = try #require(stage.staging.batches[stage.user.partition])
        #expect(batch.events.map(\.version) == [Version(1), Version(2)])
        #expect(batch.events.allSatisfy { $0.recordedAt == now.adding(microseconds: 7) })
        let answer = try #require(stage.staging.answers.first)
        #expect(answer.appended?.throughSequence == DeviceSequence(1) && answer.appended?.version == Version(2))
        #expect(answer.error == nil && stage.user.state.version == Version(2))
        // The second frame does not log it again.
        #expect(isStaged(append(&stage, [focus()], at: 2)))
        #expect(logged(stage) == [.deviceIncarnationBegan, .focusChanged, .focusChanged])
    }

    @Test("P5, E2: a refused event takes its place as a refusal, and those behind it are taken")
    func refused() throws {
        var stage = stage()
        let cleared = event(.badgeCleared, chat)
        #expect(isStaged(append(&stage, [focus(), cleared, focus()])))
        #expect(logged(stage) == [.deviceIncarnationBegan, .focusChanged, .eventRefused, .focusChanged])
        let appended = try #require(stage.staging.answers.first?.appended)
        #expect(appended.throughSequence == DeviceSequence(3))
        #expect(appended.refused.map(\.sequence) == [DeviceSequence(2)])
        #expect(appended.refused.map(\.event) == [cleared.envelope.id])
    }

    @Test("E2: an event that is refused unseen is logged under its session's app, never under the one that it names")
    func refusedUnseen() throws {
        var stage = stage(.app(chat))
        var wrong = event(.badgeCleared, chat)
        wrong.envelope.app = "no bundle identifier"
        #expect(isStaged(append(&stage, [wrong])))
        let event = try #require(stage.staging.batches[stage.user.partition]?.events.last)
        #expect(event.type == EventType.eventRefused.rawValue && event.app == chat && event.id == wrong.envelope.id)
        #expect(stage.staging.answers.first?.appended?.refused.first?.code == RefusalCode.fieldInvalid.rawValue)
    }

    @Test("P4: a gap stores nothing of what is behind it, and names what is missing")
    func gap() throws {
        var stage = stage()
        #expect(isStaged(append(&stage, [focus()], at: 3)))
        #expect(logged(stage) == [.deviceIncarnationBegan])
        let error = try #require(stage.staging.answers.first?.error)
        #expect(error.code == .sequenceGap && error.expected == DeviceSequence(1))
    }

    @Test("E1, P3: what stands at an earlier place is asked for; another event there ends what the session may append")
    func conflict() throws {
        var stage = stage()
        let first = EventID.random()
        #expect(isStaged(append(&stage, [focus(first)])))
        // The events staged for the user are not in the log yet.
        guard case .postponed = append(&stage, [focus(first)]) else {
            Issue.record("not postponed")
            return
        }
        stage.staging = self.stage().staging
        guard case .needsPlaces(let places, let incarnation) = append(&stage, [focus()]) else {
            Issue.record("nothing is asked")
            return
        }
        #expect(places == DeviceSequence(1)...DeviceSequence(1) && incarnation == Incarnation(1))
        let found = FoundPlaces(places: places, filledAt: .zero, events: [])
        #expect(isStaged(append(&stage, [focus()], found: found)))
        let error = try #require(stage.staging.answers.last?.error)
        #expect(error.code == .sequenceConflict && stage.staging.batches.isEmpty)
        #expect(error.message.contains("Recall what has no answer"), "it is not to be sent elsewhere before (rule P10)")
        #expect(stage.staging.ended == [1])
        // Rule P3: nothing more of the session is logged, and it gets no answer.
        #expect(isStaged(append(&stage, [focus()], at: 2)))
        #expect(stage.staging.batches.isEmpty && stage.staging.answers.last?.appended == nil)
    }

    @Test("P10: a Recall ends its incarnation before it is answered, and an ended one takes nothing more")
    func recall() throws {
        var stage = stage()
        let recall = Recall(incarnation: Incarnation(1), firstSequence: DeviceSequence(1), events: [])
        #expect(isStaged(append(&stage, [], healing: .recall(recall))))
        #expect(logged(stage) == [.deviceIncarnationEnded])
        #expect(stage.staging.answers.first?.recalled?.version == Version(1))
        #expect(isStaged(append(&stage, [focus()])))
        #expect(stage.staging.answers.last?.error?.code == .sequenceConflict)
        #expect(logged(stage) == [.deviceIncarnationEnded])
    }

    @Test("P10: a Recall of an incarnation that the log does not know ends that one alone, however many are open")
    func recallOfUnknown() throws {
        var stage = stage()
        let identity = stage.session.identity
        for number in Int64(1)...256 {
            let state = stage.user.state
            let body = DeviceIncarnationBegan(device: device, incarnation: Incarnation(number), scope: identity.scope)
            let event = Event(
                version: state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next, id: .random(), app: nil,
                // A day apart: a scope begins 16 in one.
                occurredAt: now, recordedAt: now.adding(microseconds: (number - 300) * 86_400_000_000),
                body: .deviceIncarnationBegan(body))
            _ = try stage.user.state.apply(event)
        }
        #expect(stage.user.state.incarnationToEnd(of: device, identity.scope) != nil)
        let recall = Recall(incarnation: Incarnation(999), firstSequence: DeviceSequence(1), events: [])
        #expect(isStaged(append(&stage, [], healing: .recall(recall))))
        #expect(logged(stage) == [.deviceIncarnationEnded])
        let offer = IncomingHealing.reoffer(Incarnation(1_000), [.accepted], code: [])
        #expect(isStaged(append(&stage, [focus()], healing: offer)))
        #expect(logged(stage).dropFirst().prefix(2) == [.deviceIncarnationEnded, .deviceIncarnationBegan])
    }

    @Test("S6: what nobody holds any more is one event, which takes the places; past a gap it takes none")
    func lost() throws {
        var stage = stage()
        let lost = LostEvents(incarnation: Incarnation(1), first: DeviceSequence(1), last: DeviceSequence(4))
        #expect(isStaged(append(&stage, [], healing: .lost(lost))))
        #expect(logged(stage) == [.deviceIncarnationBegan, .deviceEventsLost])
        #expect(stage.staging.answers.first?.appended?.throughSequence == DeviceSequence(4))
        let far = LostEvents(incarnation: Incarnation(1), first: DeviceSequence(6), last: DeviceSequence(9))
        #expect(isStaged(append(&stage, [], at: 6, healing: .lost(far))))
        #expect(stage.staging.answers.last?.error?.expected == DeviceSequence(5))
    }

    @Test("A3: nothing of a revoked device is logged, and it gets no answer")
    func revoked() throws {
        var stage = stage()
        let revoked = event(.deviceRevoked(DeviceRevoked(device: device)))
        #expect(isStaged(append(&stage, [revoked])))
        #expect(logged(stage).last == .deviceRevoked)
        let count = logged(stage).count
        #expect(isStaged(append(&stage, [focus()], at: 2)))
        let answer = try #require(stage.staging.answers.last)
        #expect(logged(stage).count == count && answer.appended == nil && answer.error == nil)
    }

    @Test("An event of a type that is not known yet stops its frame, and is to be sent again")
    func unknown() throws {
        var stage = stage()
        var unknown = focus()
        unknown.content = .unknown
        #expect(isStaged(append(&stage, [focus(), unknown, focus()])))
        let answer = try #require(stage.staging.answers.first)
        #expect(answer.appended?.throughSequence == DeviceSequence(1))
        #expect(answer.error?.code == .eventUnknown && answer.error?.sequence == DeviceSequence(2))
    }

    private let post = EventBody.notificationPosted(
        NotificationPosted(notificationID: "n", body: "b", level: .active))
    private let removal = EventBody.notificationRemoved(NotificationIDs(ids: ["n"]))

    @Test("Q4: of a user who has no room left only what needs none is taken, and until twice the room what frees some")
    func noRoom() throws {
        let room = stage().user.approximateBytes
        var stage = stage(userBytes: room - 1)
        #expect(isStaged(append(&stage, [focus(), event(post, chat), focus()])))
        let answer = try #require(stage.staging.answers.first)
        #expect(answer.appended?.throughSequence == DeviceSequence(1))
        #expect(answer.error?.code == .quotaExceeded && answer.error?.sequence == DeviceSequence(2))
        #expect(answer.error.map { $0.retryAfterMilliseconds > 0 } == true)
        // Nothing of it is logged: the place is free, and what frees room gets it.
        #expect(logged(stage) == [.deviceIncarnationBegan, .focusChanged])
        #expect(isStaged(append(&stage, [event(removal, chat)], at: 2)))
        #expect(stage.staging.answers.last?.appended?.throughSequence == DeviceSequence(2))
        var atBound = self.stage(userBytes: stage.user.approximateBytes)
        #expect(isStaged(append(&atBound, [event(post, chat)])) && atBound.staging.answers.first?.error == nil)

        var pastTwice = self.stage(userBytes: room / 2 - 1)
        #expect(isStaged(append(&pastTwice, [event(removal, chat)])))
        #expect(pastTwice.staging.answers.last?.error?.code == .quotaExceeded)
        let revoked = event(.deviceRevoked(DeviceRevoked(device: DeviceID(UUID()))))
        #expect(isStaged(append(&pastTwice, [focus(), revoked])))
        #expect(pastTwice.staging.answers.last?.appended?.throughSequence == DeviceSequence(2))
    }

    @Test("Q4, Q5: what a device gives back is exempt under its receipt alone")
    func givenBack() throws {
        let (id, key) = (UserID.random(), ReceiptKey(secret: Array(repeating: 1, count: 32)))
        var before = stage(of: id, key: key)
        let events = [event(post, chat)]
        #expect(isStaged(append(&before, events)))
        let appended = try #require(before.staging.answers.first?.appended)
        let outcomes = appended.refused.map { Outcome.refused(code: $0.code, message: $0.message) }
        let code = try #require(appended.receipts.first?.code)
        func offer(_ code: [UInt8]) -> IncomingHealing { .reoffer(Incarnation(1), outcomes, code: code) }

        var proved = stage(of: id, key: key, userBytes: 0, eventsPerDay: 1)
        #expect(isStaged(append(&proved, events, healing: offer(code))))
        #expect(isStaged(append(&proved, [focus(), focus()], at: 2)))
        #expect(proved.staging.answers.map(\.error?.code) == [nil, .quotaExceeded])
        #expect(logged(proved) == [.deviceIncarnationBegan, .eventRefused, .focusChanged])

        var unproved = stage(of: id, key: key, eventsPerDay: 1)
        #expect(isStaged(append(&unproved, events, healing: offer([]))))
        #expect(isStaged(append(&unproved, [focus()], at: 2)))
        #expect(unproved.staging.answers.map(\.error?.code) == [nil, .quotaExceeded])
        var full = stage(of: id, key: key, userBytes: 0)
        #expect(isStaged(append(&full, events, healing: offer([]))))
        #expect(full.staging.answers.map(\.error?.code) == [.quotaExceeded])
    }

    @Test(
        "S6, W1: the text of a refusal that a device brings back is cut, and a full frame of them fits into an answer")
    func longRefusals() throws {
        var stage = stage(eventsPerDay: 2_000)
        let count = SessionLimits().eventsPerAppend
        let code = String(repeating: "c", count: AppendJudge.codeBytes)
        let outcome = Outcome.refused(code: code, message: String(repeating: "€", count: 1_300))
        let offer = IncomingHealing.reoffer(Incarnation(1), Array(repeating: outcome, count: count), code: [])
        #expect(isStaged(append(&stage, (0..<count).map { _ in focus() }, healing: offer)))
        let appended = try #require(stage.staging.answers.first?.appended)
        #expect(appended.refused.count == count)
        #expect(appended.refused.allSatisfy { $0.message == String(repeating: "€", count: 85) && $0.code == code })
        let frame = FrameCodec.frame(.appended(appended))
        #expect(frame.count <= count * AppendJudge.refusalBytes && frame.count <= SessionLimits().frameBytes)
        let logged = try #require(stage.staging.batches[stage.user.partition]?.events.last)
        guard case .eventRefused(let refused) = try logged.decoded().body else {
            Issue.record("\(logged.type)")
            return
        }
        #expect(refused.message.utf8.count <= Outcome.messageBytes)
    }

    @Test("S6: a refusal under its receipt is answered with the text that the receipt covers; the log keeps part of it")
    func longProvedRefusal() throws {
        let (id, key) = (UserID.random(), ReceiptKey(secret: Array(repeating: 1, count: 32)))
        var stage = stage(of: id, key: key)
        let incoming = focus()
        let outcome = Outcome.refused(code: "field_invalid", message: String(repeating: "x", count: 4_096))
        var hash = EnvelopeHash()
        hash.add(incoming.envelope, outcome)
        let subject = ReceiptSubject(
            log: LaneSamples.log, user: id, device: device, incarnation: Incarnation(1), scope: .system)
        let receipt = key.receipt(subject, first: DeviceSequence(1), through: DeviceSequence(1), hash: hash)
        let offer = IncomingHealing.reoffer(Incarnation(1), [outcome], code: receipt.code)
        #expect(isStaged(append(&stage, [incoming], healing: offer)))
        let appended = try #require(stage.staging.answers.first?.appended)
        #expect(appended.refused.first?.message.utf8.count == 4_096 && appended.receipts.isEmpty)
        let logged = try #require(stage.staging.batches[stage.user.partition]?.events.last)
        guard case .eventRefused(let refused) = try logged.decoded().body else {
            Issue.record("\(logged.type)")
            return
        }
        #expect(logged.encoding == LoggedEvent.healed && refused.message.utf8.count == Outcome.messageBytes)
    }

    @Test("Q5: a declaration of loss counts as an event")
    func lossCounts() {
        var stage = stage(eventsPerDay: 1)
        for first in [Int64(1), 5] {
            let lost = LostEvents(
                incarnation: Incarnation(1), first: DeviceSequence(first), last: DeviceSequence(first + 3))
            #expect(isStaged(append(&stage, [], at: first, healing: .lost(lost))))
        }
        #expect(stage.staging.answers.map(\.error?.code) == [nil, .quotaExceeded])
        #expect(stage.staging.answers.map { $0.appended?.throughSequence.rawValue } == [4, nil])
        #expect(logged(stage) == [.deviceIncarnationBegan, .deviceEventsLost])
    }
}
