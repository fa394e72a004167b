import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// How many rows of whom a turn hashes for checkpoints, with users that the test puts into memory.
@Suite final class LaneHashesTests: PartSessions {
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
}
