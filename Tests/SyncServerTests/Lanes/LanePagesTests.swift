import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// How many rows of whom a turn sends, with users that the test puts into memory.
@Suite final class LanePagesTests: PartSessions {
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

    @Test("L1, S9: while a device takes nothing the lane sleeps; its checkpoint follows the rows that it then takes")
    func takesNothing() throws {
        let sessions = sessions()
        try users.load(anna, from: store)
        open(sessions, quota: 2_000)
        _ = sessions.sendCheckpoints(users)
        for number in 0..<40 {
            store.appendFocus("focus-\(number)", of: anna)
            sessions.sendToAll(of: try users.load(anna, from: store))
        }
        let session = try #require(sessions[1])
        #expect(session.isBehind(try #require(users[anna])) && session.handle.quota.isBehind)
        _ = told(1, sessions)
        func turn() {
            sessions.beginTurn()
            sessions.sendAwaited(users)
            _ = sessions.sendCheckpoints(users)
        }
        time.advance(1_000)
        state.confirmedAt = time.now
        var turns = 0
        while isDue(sessions), turns < 10 {
            turn()
            turns += 1
        }
        #expect((1...3).contains(turns) && told(1, sessions).isEmpty)
        #expect(session.handle.quota.release(session.handle.quota.queuedBytes))
        sessions.resume(1)
        turn()
        #expect(told(1, sessions).suffix(2) == ["rows", "checkpoint"] && !isDue(sessions))
    }
}
