import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Admission, delivery and dismissal of sessions, with users that the test puts into memory.
@Suite struct LaneSessionsTests {
    private let anna = UserID(UUID())
    private let phone = DeviceID(UUID())
    private let store = PartLog()
    private let users = PartUsers()
    private let time = PartTime()
    private let connections = PartConnections()
    private let state = State()

    /// What the sessions ask of their surroundings.
    private final class State {
        var confirmedAt = MonotonicTime(milliseconds: 0)
        var lastWaiting = DeviceSequence.zero
        var ended: [UInt64] = []
    }

    private func sessions(_ configuration: LaneConfiguration = LaneConfiguration()) -> LaneSessions {
        state.confirmedAt = time.now
        return LaneSessions(
            LaneSamples.context(time, configuration), DeliveryBatch(), confirmedAt: { [state] in state.confirmedAt },
            lastWaiting: { [state] _ in state.lastWaiting }, didEnd: { [state] in state.ended.append($0) })
    }

    private func isDue(_ sessions: LaneSessions) -> Bool {
        sessions.nextDeadline { _ in false }.map { $0 <= time.now } ?? false
    }

    private func told(_ id: UInt64, _ sessions: LaneSessions) -> [String] { connections.told(id, sessions.deliveries) }

    private func event(_ user: CachedUser, _ version: Version) throws -> EventID? {
        try store.event(of: user.id, partition: user.partition, at: version)
    }

    @discardableResult
    private func open(
        _ sessions: LaneSessions, _ id: UInt64 = 1, user: UserID? = nil, device: DeviceID? = nil,
        of deviceClass: DeviceClass = .phone, collections: Set<RowCollection>? = nil, cursor: Cursor? = nil,
        quota: Int = 1_000_000
    ) -> [String] {
        var opening = LaneSamples.opening(LaneSamples.identity(user ?? anna, device ?? phone))
        opening.view.deviceClass = deviceClass
        opening.view.collections = collections
        opening.cursor = cursor
        sessions.enqueue(connections.handle(id, quota: quota), opening)
        sessions.admit(users, event: event)
        return told(id, sessions)
    }

    private func cursor(_ event: LoggedEvent, of log: LogID = LaneSamples.log) -> Cursor {
        let opening = LaneSamples.opening(LaneSamples.identity(anna, phone))
        return Cursor(log: log, version: event.version, event: event.id, view: opening.view.hash)
    }

    private func revoke(_ device: DeviceID) throws -> LoggedEvent {
        let event = store.append(.deviceRevoked(DeviceRevoked(device: device)), of: anna)
        try users.load(anna, from: store)
        return event
    }

    // MARK: Admission

    @Test("Whoever says Hello waits until their user is in memory, and is needed there meanwhile")
    func waits() throws {
        let sessions = sessions()
        #expect(open(sessions).isEmpty && sessions.openings == [anna: nil] && isDue(sessions))
        let whileLoading = sessions.nextDeadline { $0 == anna }
        #expect(whileLoading == nil, "the loader's answer is waited for")
        try users.load(anna, from: store)
        sessions.admit(users, event: event)
        #expect(told(1, sessions).first == "opened" && sessions.openings.isEmpty && sessions.neededUsers.isEmpty)
    }

    @Test(
        "A quarantined user's device is told to wait; A3, P1: a revoked one that it is, once the log keeps that"
    )
    func refused() throws {
        let sessions = sessions()
        users.quarantined = [anna]
        #expect(open(sessions) == ["user_quarantined"])
        users.quarantined = []
        _ = try revoke(phone)
        for (id, isKept) in [(UInt64(2), false), (3, true)] {
            #expect(open(sessions, id).isEmpty && sessions[id] == nil, "it is told nothing yet")
            sessions.answerRevoked { partitions in
                #expect(partitions == Set([users[anna]?.partition].compactMap(\.self)) && !partitions.isEmpty)
                return isKept
            }
            #expect(told(id, sessions) == [isKept ? "revoked" : "unavailable"])
        }
        sessions.answerRevoked { _ in
            Issue.record("nobody waits")
            return true
        }
    }

    @Test("P8: the newer connection of a store wins, also when its Hello comes first")
    func newerWins() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions, 2)
        #expect(open(sessions, 1) == ["go away: superseded"] && sessions[2] != nil)
        open(sessions, 3)
        #expect(told(2, sessions).contains("go away: superseded") && sessions[2] == nil && sessions[3] != nil)
        #expect(state.ended == [2])
    }

    @Test(
        """
        S4, S6: a cursor goes on where it names an event of this log; past the log's end, or beside it, the log is \
        behind; where the log cannot be asked, the device comes again
        """
    )
    func cursors() throws {
        let sessions = sessions()
        let (first, last) = (store.appendFocus("a", of: anna), store.appendFocus("b", of: anna))
        try users.load(anna, from: store)
        #expect(open(sessions, 1, cursor: cursor(last)) == ["opened"])
        #expect(open(sessions, 2, cursor: cursor(first)) == ["opened", "rows"])
        var other = cursor(last)
        other.event = .random()
        #expect(open(sessions, 3, cursor: other).first == "opened, log is behind")
        other = cursor(first)
        other.event = .random()
        #expect(open(sessions, 4, cursor: other).first == "opened, log is behind")
        other = cursor(last)
        other.version = Version(9)
        #expect(open(sessions, 5, cursor: other).first == "opened, log is behind")
        #expect(open(sessions, 6, cursor: cursor(last, of: LogID(UUID()))).first == "opened")
        // A snapshot would hide from the device that the log is behind, so it is to come again.
        store.failure = PostgresError(kind: .insufficientResources, message: "full")
        #expect(open(sessions, 7, cursor: cursor(first)) == ["unavailable"])
    }

    @Test("A cursor that is ahead of its user's state asks for the partition's news before it is called lost")
    func aheadCursors() throws {
        let sessions = sessions()
        let event = store.appendFocus("a", of: anna)
        try users.load(anna, from: store)
        var opening = LaneSamples.opening(LaneSamples.identity(anna, phone))
        opening.cursor = cursor(event)
        sessions.enqueue(connections.handle(1), opening)
        #expect(sessions.partitionsBehindCursors(users).isEmpty)
        opening.cursor?.version = Version(2)
        sessions.enqueue(connections.handle(2), opening)
        #expect(sessions.partitionsBehindCursors(users) == [PartLog.partition])
    }

    // MARK: Rows

    @Test("Q6: one session more than a device has in a scope, or a user at all, is told to go; another scope is let in")
    func sessionBounds() throws {
        try users.load(anna, from: store)
        var configuration = LaneConfiguration()
        (configuration.sessionsPerDevice, configuration.sessionsPerUser) = (2, 4)
        let sessions = sessions(configuration)
        func connect(_ id: UInt64, _ device: DeviceID, _ scope: Scope = .system, incarnation: Int64) -> Bool {
            var opening = LaneSamples.opening(LaneSamples.identity(anna, device, scope))
            opening.incarnation = Incarnation(incarnation)
            sessions.enqueue(connections.handle(id), opening)
            sessions.admit(users, event: event)
            return told(id, sessions).first != "go away: too_many"
        }
        #expect(connect(1, phone, incarnation: 1) && connect(2, phone, incarnation: 2))
        #expect(!connect(3, phone, incarnation: 3))
        // The newer connection of a store takes the place of the other (rule P8).
        #expect(connect(4, phone, incarnation: 2))
        #expect(connect(5, phone, .app(AppID("com.example.chat")!), incarnation: 5))
        #expect(connect(6, DeviceID(UUID()), incarnation: 6) && !connect(7, DeviceID(UUID()), incarnation: 7))
        sessions.closed(1)
        #expect(connect(8, phone, incarnation: 8))
    }

    @Test("Rows go out while the heads are fresh; what could not be sent goes with the next that can")
    func fresh() throws {
        let sessions = sessions()
        store.appendFocus("a", of: anna)
        try users.load(anna, from: store)
        time.advance(1_000)
        #expect(open(sessions) == ["opened"])
        // It does not go round and round: nobody can say yet when the heads are fresh.
        #expect(sessions.nextDeadline { _ in false } == time.now.adding(milliseconds: 50))
        sessions.sendAwaited(users)
        #expect(told(1, sessions).isEmpty)
        state.confirmedAt = time.now
        sessions.sendAwaited(users)
        #expect(told(1, sessions).first == "rows")
        #expect(sessions.sendCheckpoints(users) == [anna] && told(1, sessions) == ["checkpoint"] && !isDue(sessions))
    }

    @Test("L1: a session without room is sent nothing more until it has taken what waits")
    func room() throws {
        let sessions = sessions()
        store.appendFocus("a", of: anna)
        try users.load(anna, from: store)
        open(sessions, quota: 1)
        store.appendFocus("b", of: anna)
        let user = try users.load(anna, from: store)
        sessions.sendToAll(of: user)
        #expect(told(1, sessions).isEmpty)
        let session = try #require(sessions[1])
        _ = session.handle.quota.release(session.handle.quota.queuedBytes)
        sessions.resume(1)
        sessions.sendAwaited(users)
        #expect(told(1, sessions) == ["rows"])
    }

    @Test(
        "S9: the first checkpoint follows at once when everything was sent, and not before; later ones after their time"
    )
    func checkpoints() throws {
        let sessions = sessions()
        store.appendFocus("a", of: anna)
        try users.load(anna, from: store)
        open(sessions)
        #expect(sessions.sendCheckpoints(users) == [anna] && told(1, sessions) == ["checkpoint"])
        // One who is behind, because it does not take its rows, has none to come.
        open(sessions, 2, device: DeviceID(UUID()), quota: 0)
        #expect(sessions.sendCheckpoints(users).isEmpty && told(2, sessions).isEmpty)
        sessions.closed(2)
        store.appendFocus("b", of: anna)
        let user = try users.load(anna, from: store)
        sessions.sendToAll(of: user)
        #expect(told(1, sessions) == ["rows"])
        #expect(sessions.sendCheckpoints(users).isEmpty)
        #expect(
            told(1, sessions).isEmpty
                && sessions.nextDeadline { _ in false } == time.now.adding(milliseconds: 1_000))
        time.advance(1_000)
        state.confirmedAt = time.now
        users.users = [:]
        #expect(sessions.sendCheckpoints(users).isEmpty)
        #expect(told(1, sessions).isEmpty && sessions.neededUsers == [anna])
        users.users[anna] = user
        sessions.sendAwaited(users)
        #expect(sessions.sendCheckpoints(users) == [anna])
        #expect(told(1, sessions) == ["checkpoint"])
    }

    @Test("Q1: a turn sends a few large pages; those of one who is far behind go on with the turns after it")
    func pages() throws {
        var configuration = LaneConfiguration()
        (configuration.pageBytes, configuration.pagesPerTurn) = (200, 2)
        let sessions = sessions(configuration)
        for number in 0..<40 { store.appendFocus("focus-\(number)", of: anna) }
        try users.load(anna, from: store)
        var counts = [open(sessions).count { $0 == "rows" }]
        while isDue(sessions), counts.count < 100 {
            sessions.beginTurn()
            sessions.sendAwaited(users)
            counts.append(told(1, sessions).count { $0 == "rows" })
        }
        // A page of a few bytes, the last one, may follow two large ones.
        #expect(counts.count > 5 && counts.allSatisfy { $0 <= 3 })
        #expect(sessions[1]?.subscription.liveVersion == users[anna]?.state.version)
    }

    /// Hides the previews of 40 notifications of a user who has two sessions.
    /// - Parameters:
    ///   - classes: of the sessions' devices.
    ///   - before: whether something else changes before that.
    /// - Returns: what each session is told in that turn, and how many rows its next page looked at.
    private func hide(
        _ sessions: LaneSessions, from classes: [DeviceClass] = [.phone, .watch], behindAnother before: Bool = false
    ) throws -> (told: [[String]], rows: Int) {
        let app = AppID("com.example.app")
        store.append(.appRegistered(AppRegistered(name: "App", build: 1)), of: anna, app: app)
        for number in 0..<40 {
            let posted = NotificationPosted(notificationID: "\(number)", body: "b")
            store.append(.notificationPosted(posted), of: anna, app: app)
        }
        try users.load(anna, from: store)
        for (id, deviceClass) in zip([UInt64(1), 2], classes) {
            #expect(open(sessions, id, device: DeviceID(UUID()), of: deviceClass).contains("rows"))
            #expect(sessions[id]?.subscription.liveVersion == users[anna]?.state.version)
        }
        if before { store.appendFocus("focus", of: anna) }
        var hidden = NotificationSettingsChanged()
        hidden.previews = .never
        store.append(.notificationSettingsChanged(hidden), of: anna, app: app)
        try users.load(anna, from: store)
        let user = try #require(users[anna])
        let rows = sessions[1]?.subscription.rowsOfNextPage(user.state) ?? 0
        sessions.beginTurn()
        sessions.sendToAll(of: user)
        return ([told(1, sessions), told(2, sessions)], rows)
    }

    @Test("Q1: to look at all rows that one event changed takes the room of a turn; who is not served comes next")
    func dearPages() throws {
        var configuration = LaneConfiguration()
        (configuration.rowsPerPage, configuration.pagesPerTurn) = (10, 2)
        let sessions = sessions(configuration)
        #expect(try hide(sessions).told == [["rows"], []] && isDue(sessions))
        sessions.beginTurn()
        sessions.sendAwaited(users)
        #expect(told(1, sessions).isEmpty && told(2, sessions) == ["rows"])
    }

    @Test(
        "Q1: a small change before such an event makes its rows no cheaper; a page made for another session is free",
        arguments: [DeviceClass.phone, .watch])
    func costOfDearPages(of other: DeviceClass) throws {
        var configuration = LaneConfiguration()
        (configuration.rowsPerPage, configuration.pagesPerTurn) = (10, 2)
        let hidden = try hide(sessions(configuration), from: [.phone, other], behindAnother: true)
        #expect(hidden.told == [["rows"], other == .phone ? ["rows"] : []])
    }

    @Test("Q1: a snapshot of a part counts for all rows that it looks at, asked for afresh or with Hello")
    func partsAreDear() throws {
        var configuration = LaneConfiguration()
        (configuration.rowsPerPage, configuration.pagesPerTurn) = (10, 2)
        let sessions = sessions(configuration)
        for number in 0..<40 { store.appendFocus("focus-\(number)", of: anna) }
        try users.load(anna, from: store)
        for id in [UInt64(1), 2] { open(sessions, id, device: DeviceID(UUID())) }
        for id in [UInt64(1), 2] { sessions.resync(id, [.activeFocus]) }
        for expected in [[true, false], [false, true]] {
            sessions.beginTurn()
            sessions.sendAwaited(users)
            #expect([UInt64(1), 2].map { told($0, sessions).contains("rows") } == expected)
        }
        sessions.beginTurn()
        let parts = (3...4).map { id in
            open(sessions, UInt64(id), device: DeviceID(UUID()), collections: [.activeFocus]).contains("rows")
        }
        #expect(parts == [true, false] && isDue(sessions))
    }

    @Test("Q1: who waits for pages has some of each turn, whatever is sent before; those have turns in their order")
    func awaitedPages() throws {
        var configuration = LaneConfiguration()
        (configuration.pageBytes, configuration.pagesPerTurn) = (200, 2)
        let (sessions, ben, carol) = (sessions(configuration), UserID(UUID()), UserID(UUID()))
        let waiting = [ben, carol]
        for id in waiting { for number in 0..<20 { store.appendFocus("focus-\(number)", of: id) } }
        for id in waiting + [anna] { try users.load(id, from: store) }
        for id in [UInt64(1), 2, 3] { open(sessions, id, device: DeviceID(UUID())) }
        for (id, user) in zip([UInt64(4), 5], waiting) { open(sessions, id, user: user) }
        var turns = 0
        func areCurrent() -> Bool {
            zip([UInt64(4), 5], waiting).allSatisfy { sessions[$0]?.subscription.liveVersion == users[$1]?.state.version }
        }
        var first = [0, 0]
        while !areCurrent(), turns < 60 {
            sessions.beginTurn()
            store.appendFocus(String(repeating: "x", count: 150) + "\(turns)", of: anna)
            try users.load(anna, from: store)
            sessions.sendToAll(of: try #require(users[anna]))
            sessions.sendAwaited(users)
            for (index, id) in [UInt64(4), 5].enumerated() where turns < 4 {
                first[index] += told(id, sessions).count { $0 == "rows" }
            }
            turns += 1
        }
        #expect(turns < 60 && first.allSatisfy { $0 > 0 }, "\(turns), \(first)")
    }

    @Test("Q1: rows that one event changed count as a page from `rowsPerPage` on, and not one row before", arguments: [0, 1])
    func edgeOfDearPages(more: Int) throws {
        var configuration = LaneConfiguration()
        // The settings' own row, and 40 of notifications.
        (configuration.rowsPerPage, configuration.pagesPerTurn) = (41 + more, 1)
        let hidden = try hide(sessions(configuration))
        #expect(hidden.rows == 41 && hidden.told == [["rows"], more == 0 ? [] : ["rows"]])
    }

    @Test("Q1: a turn hashes a few rows for checkpoints; the checkpoint follows when all are hashed")
    func hashes() throws {
        var configuration = LaneConfiguration()
        configuration.hashedBytesPerTurn = 4_000
        let sessions = sessions(configuration)
        for number in 0..<160 { store.appendFocus("focus-\(number)", of: anna) }
        try users.load(anna, from: store)
        open(sessions)
        time.advance(1_000)
        state.confirmedAt = time.now
        var turns = 0
        while told(1, sessions) != ["checkpoint"], turns < 100 {
            #expect(isDue(sessions))
            _ = sessions.sendCheckpoints(users)
            turns += 1
        }
        #expect((4..<40).contains(turns) && !isDue(sessions))
    }

    @Test("Q1, S9: who has few rows to hash does not wait for who has many, and whoever comes does not interrupt these")
    func hashesFewBesideMany() throws {
        var configuration = LaneConfiguration()
        configuration.hashedBytesPerTurn = 2_000
        let (sessions, ben) = (sessions(configuration), UserID(UUID()))
        for number in 0..<120 { store.appendFocus("focus-\(number)", of: anna) }
        store.appendFocus("focus", of: ben)
        for id in [anna, ben] { try users.load(id, from: store) }
        #expect(open(sessions).contains("rows"))
        #expect(open(sessions, 2, user: ben).contains("rows"))
        _ = sessions.sendCheckpoints(users)
        #expect(told(1, sessions).isEmpty && told(2, sessions) == ["checkpoint"])
        var turns = 1
        while told(1, sessions).isEmpty, turns < 50 {
            let other = UserID(UUID())
            for number in 0..<120 { store.appendFocus("focus-\(number)", of: other) }
            try users.load(other, from: store)
            open(sessions, UInt64(2 + turns), user: other)
            _ = sessions.sendCheckpoints(users)
            turns += 1
        }
        #expect((3..<20).contains(turns), "\(turns)")
    }

    @Test("Q1: a turn passes over so many sessions of a user with many rows, and not one more", arguments: [0, 1])
    func passesOver(more: Int) throws {
        var configuration = LaneConfiguration()
        configuration.hashedBytesPerTurn = 2_000
        let (sessions, ben) = (sessions(configuration), UserID(UUID()))
        for number in 0..<120 { store.appendFocus("focus-\(number)", of: anna) }
        store.appendFocus("focus", of: ben)
        for id in [anna, ben] { try users.load(id, from: store) }
        // The first session's rows are hashed in part; the others' are passed over.
        let count = UInt64(LaneSessions.passedLimit + more)
        for id in 1...count { open(sessions, id, device: DeviceID(UUID())) }
        open(sessions, count + 1, user: ben)
        while sessions[count + 1]?.subscription.liveVersion == nil || sessions[count]?.subscription.liveVersion == nil {
            sessions.beginTurn()
            sessions.sendAwaited(users)
        }
        _ = told(count + 1, sessions)
        _ = sessions.sendCheckpoints(users)
        #expect(told(count + 1, sessions) == (more == 0 ? ["checkpoint"] : []))
    }

    @Test("S9: whose rows change as fast as they are hashed keeps nobody from a checkpoint")
    func hashesBesideBusy() throws {
        var configuration = LaneConfiguration()
        configuration.hashedBytesPerTurn = 2_000
        let (sessions, ben) = (sessions(configuration), UserID(UUID()))
        for id in [anna, ben] {
            for number in 0..<120 { store.appendFocus("focus-\(number)", of: id) }
            try users.load(id, from: store)
        }
        #expect(open(sessions).contains("rows"))
        #expect(open(sessions, 2, user: ben).contains("rows"))
        var heard: [String] = []
        var turns = 0
        while heard.isEmpty, turns < 40 {
            // As when all of anna's rows had changed: she is loaded anew.
            try users.load(anna, from: store)
            _ = sessions.sendCheckpoints(users)
            heard = told(2, sessions)
            turns += 1
        }
        #expect(heard == ["checkpoint"], "\(turns)")
    }

    // MARK: Review

    @Test("A3: a revoked device is cut off, and so is one that was told to go and has not taken it yet")
    func revoked() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions, 1)
        open(sessions, 2, device: DeviceID(UUID()))
        _ = try revoke(phone)
        sessions.hear(.caughtUp(try #require(users[anna])))
        #expect(told(1, sessions) == ["cut off"] && sessions[1] == nil && sessions[2] != nil)
    }

    @Test("A3: so it is while the user is not in memory, for the revoked device alone")
    func revokedAbsent() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions, 1)
        open(sessions, 2, device: DeviceID(UUID()))
        sessions.end(try #require(sessions[1]), .shuttingDown)
        sessions.hear(.missed(store.appendFocus("a", of: anna)))
        sessions.hear(.missed(try revoke(phone)))
        #expect(told(1, sessions).last == "cut off" && sessions[2] != nil)
    }

    @Test("A3: where nobody read which devices of a user are revoked, all of them are cut off, also one that was told to go")
    func missedRevocation() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        for id in 1...2 as ClosedRange<UInt64> { open(sessions, id, device: DeviceID(UUID())) }
        sessions.end(try #require(sessions[1]), .shuttingDown)
        sessions.hear(.missedRevocation(UserID(UUID())))
        #expect(told(1, sessions).last == "go away: shutting_down" && sessions[2] != nil)
        sessions.hear(.missedRevocation(anna))
        #expect(told(1, sessions) == ["cut off"] && told(2, sessions) == ["cut off"] && sessions[2] == nil)
    }

    @Test("P8: a device whose events come from another server goes, but not for what it had under way when it came")
    func appendsElsewhere() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions)
        store.appendFocus("a", of: anna, device: phone)
        let user = try users.load(anna, from: store)
        // The session has just begun.
        sessions.closeInvalidSessions(user)
        #expect(sessions[1]?.lastSequence == DeviceSequence(1))
        time.advance(10_000)
        state.confirmedAt = time.now
        store.appendFocus("b", of: anna, device: phone)
        // The session has sent the same event and waits for the answer.
        state.lastWaiting = DeviceSequence(2)
        sessions.closeInvalidSessions(try users.load(anna, from: store))
        #expect(sessions[1] != nil)
        state.lastWaiting = .zero
        store.appendFocus("c", of: anna, device: phone)
        sessions.closeInvalidSessions(try users.load(anna, from: store))
        #expect(told(1, sessions).last == "go away: superseded" && sessions[1] == nil)
    }

    // MARK: Answers

    private func answer(_ change: (inout AppendStaging.Answer) -> Void) -> AppendStaging.Answer {
        var answer = AppendStaging.Answer(append: LaneSamples.append(1, [LaneSamples.focus()]), partition: Partition(0))
        change(&answer)
        return answer
    }

    @Test("P3, P4: an answer gives its bytes back; a gap is told once; after a conflict the session goes")
    func answers() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions)
        sessions.deliver(
            answer { $0.appended = Appended(throughSequence: DeviceSequence(1), version: Version(1), refused: []) })
        #expect(told(1, sessions) == ["answered  100"] && sessions[1]?.lastSequence == DeviceSequence(1))
        let gap = answer { $0.error = ProtocolError(.sequenceGap, "a gap", expected: DeviceSequence(2)) }
        sessions.deliver(gap)
        sessions.deliver(gap)
        #expect(told(1, sessions) == ["answered  100", "answered nothing 100"])
        sessions.deliver(answer { $0.error = ProtocolError(.sequenceConflict, "another") })
        #expect(told(1, sessions) == ["answered  100", "go away: sequence_conflict"] && sessions[1] == nil)
    }

    @Test(
        "P6: frames that waited for what the log holds go on in their order; if it cannot be asked, the first is told so"
    )
    func placesFound() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions)
        let session = try #require(sessions[1])
        let frames = [1, 5, 9].map { LaneSamples.append(1, [LaneSamples.focus()], at: $0) }
        session.looksUp = frames
        #expect(sessions.placesFound(1, nil).map(\.request.firstSequence) == [DeviceSequence(5), DeviceSequence(9)])
        #expect(told(1, sessions) == ["answered  100"] && session.looksUp.isEmpty)
        #expect(sessions.placesFound(1, nil).isEmpty && sessions.placesFound(7, nil).isEmpty)
    }
}
