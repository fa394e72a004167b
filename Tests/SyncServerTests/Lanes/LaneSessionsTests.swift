import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Admission, delivery and dismissal of sessions, with users that the test puts into memory.
@Suite final class LaneSessionsTests: PartSessions {
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
