import EventStore
import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// What the many sessions of one user are sent, and when.
@Suite final class LaneCrowdsTests: PartSessions {
    private var number = 0

    private func paced(_ change: (inout LaneConfiguration) -> Void = { _ in }) -> LaneSessions {
        var configuration = LaneConfiguration()
        (configuration.sessionsAtOnce, configuration.sessionsPauseMilliseconds) = (2, 4)
        change(&configuration)
        return sessions(configuration)
    }

    private func crowd(
        _ count: UInt64, _ change: (inout LaneConfiguration) -> Void = { _ in }
    ) throws -> LaneSessions {
        let sessions = paced(change)
        try users.load(anna, from: store)
        for id in 1...count { open(sessions, id, device: DeviceID(UUID())) }
        _ = sessions.sendCheckpoints(users)
        for id in 1...count { _ = told(id, sessions) }
        return sessions
    }

    /// Changes a row, and sends it as far as that may be.
    private func change(_ sessions: LaneSessions) throws {
        number += 1
        store.appendFocus("focus-\(number)", of: anna)
        sessions.sendToAll(of: try users.load(anna, from: store))
    }

    /// A turn after so many milliseconds. The heads are fresh.
    private func turn(_ sessions: LaneSessions, after milliseconds: Int64 = 0) {
        time.advance(milliseconds)
        state.confirmedAt = time.now
        sessions.beginTurn()
        sessions.sendAwaited(users)
    }

    /// The sessions that were sent rows since the last call.
    private func heard(_ sessions: LaneSessions, of count: UInt64) -> [UInt64] {
        (1...count).filter { told($0, sessions).contains("rows") }
    }

    @Test("Q1: of a user's many sessions some have their rows at once, the others after pauses, and then it is quiet")
    func pauses() throws {
        let sessions = try crowd(5)
        try change(sessions)
        #expect(heard(sessions, of: 5) == [1, 2] && !isDue(sessions), "the lane may sleep")
        #expect(sessions.nextDeadline { _ in false } == time.now.adding(milliseconds: 4))
        turn(sessions, after: 3)
        #expect(heard(sessions, of: 5).isEmpty)
        turn(sessions, after: 1)
        #expect(heard(sessions, of: 5) == [3, 4])
        turn(sessions, after: 4)
        #expect(heard(sessions, of: 5) == [5] && sessions.neededUsers.isEmpty)
        let checkpoint = time.now.adding(milliseconds: 1_000 - 8)
        #expect(sessions.nextDeadline { _ in false } == checkpoint, "nothing is due but what S9 asks for")
    }

    @Test("Q1: who waits for a turn is not passed by who had one, and has what changed meanwhile in the same frame")
    func turns() throws {
        let sessions = try crowd(5)
        var order: [UInt64] = []
        for _ in 1...5 {
            try change(sessions)
            let first = heard(sessions, of: 5)
            try change(sessions)
            #expect(heard(sessions, of: 5).isEmpty)
            for id in first { #expect(sessions[id].map { $0.isBehind(users[anna]!) } == true) }
            order += first
            time.advance(4)
            state.confirmedAt = time.now
        }
        #expect(order == [1, 2, 3, 4, 1, 5, 2, 3, 4, 5])
    }

    @Test("Q1: as many sessions as have rows at once have no pause; one more is the edge", arguments: [UInt64(2), 3])
    func edge(count: UInt64) throws {
        let sessions = try crowd(count)
        try change(sessions)
        #expect(heard(sessions, of: count) == [1, 2] && sessions.neededUsers.isEmpty == (count == 2))
        try change(sessions)
        #expect(heard(sessions, of: count) == (count == 2 ? [1, 2] : []))
    }

    @Test("Q1, L1: a session without room, or with all that there is, takes nobody's turn")
    func noTurn() throws {
        let sessions = try crowd(3)
        open(sessions, 4, device: DeviceID(UUID()), quota: 0)
        try change(sessions)
        _ = heard(sessions, of: 4)
        turn(sessions, after: 4)
        #expect(heard(sessions, of: 4) == [3] && sessions.neededUsers.isEmpty && !isDue(sessions))
    }

    @Test("Q1: one of many sessions that needs a page where none is left keeps its turn, and its user theirs")
    func pages() throws {
        let sessions = paced { ($0.pageBytes, $0.pagesPerTurn) = (200, 1) }
        let others = [UserID(UUID()), UserID(UUID())]
        for id in others { for number in 0..<200 { store.appendFocus("focus-\(number)", of: id) } }
        for number in 0..<20 { store.appendFocus("focus-\(number)", of: anna) }
        for id in others + [anna] { try users.load(id, from: store) }
        for (id, user) in zip([UInt64(4), 5], others) { open(sessions, id, user: user) }
        for id in UInt64(1)...3 { open(sessions, id, device: DeviceID(UUID())) }
        func isBehind(_ id: UInt64, _ user: UserID) -> Bool {
            users[user].flatMap { sessions[id]?.isBehind($0) } == true
        }
        var turns = 0
        while (UInt64(1)...3).contains(where: { isBehind($0, anna) }), turns < 1_000 {
            turn(sessions, after: 1)
            turns += 1
        }
        #expect(turns > 20 && zip([UInt64(4), 5], others).allSatisfy { isBehind($0, $1) }, "after \(turns) turns")
    }

    @Test("S9: checkpoints come although one of many sessions is behind nearly always, as rows change all the time")
    func steadyCheckpoints() throws {
        let sessions = try crowd(5) { $0.checkpointMilliseconds = 50 }
        var counts: [UInt64: Int] = [:]
        for _ in 1...140 {
            time.advance(1)
            state.confirmedAt = time.now
            sessions.beginTurn()
            try change(sessions)
            sessions.sendAwaited(users)
            _ = sessions.sendCheckpoints(users)
            for id in UInt64(1)...5 where told(id, sessions).contains("checkpoint") { counts[id, default: 0] += 1 }
        }
        #expect(counts == [1: 2, 2: 2, 3: 2, 4: 2, 5: 2])
    }

    @Test("S9: each of many sessions has the checkpoint that it is owed, also when its user had left memory")
    func checkpoints() throws {
        let sessions = try crowd(5)
        try change(sessions)
        for _ in 1...2 { turn(sessions, after: 4) }
        _ = heard(sessions, of: 5)
        let user = users.users.removeValue(forKey: anna)
        time.advance(1_000)
        state.confirmedAt = time.now
        #expect(sessions.sendCheckpoints(users).isEmpty && sessions.neededUsers == [anna])
        users.users[anna] = user
        var checked: [UInt64] = []
        for _ in 1...3 {
            turn(sessions, after: 4)
            _ = sessions.sendCheckpoints(users)
            checked += (1...5).filter { told($0, sessions) == ["checkpoint"] }
        }
        #expect(checked.sorted() == [1, 2, 3, 4, 5])
    }
}
