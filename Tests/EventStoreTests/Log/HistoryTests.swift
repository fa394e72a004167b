import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

@Suite("A user's history, read ahead")
struct HistoryTests {
    private let fixture: StoreFixture
    private let history: RandomHistory
    private let user: UserID

    init() throws {
        fixture = try StoreFixture()
        history = try RandomHistory(seed: 47, users: 2, events: 400)
        try history.log(on: fixture.connection())
        user = history.users[1]
    }

    private func read(
        after version: Version = .zero, through last: Version = Version(.max), atOnce limit: Int,
        on connection: PostgresConnection, while isWanted: (LoggedEvent) throws -> Bool = { _ in true }
    ) throws -> [LoggedEvent] {
        var read: [LoggedEvent] = []
        try LogReader().forEachDecoded(
            of: user, partition: RandomHistory.partition, after: version, through: last, atOnce: limit, on: connection
        ) { logged, event in
            #expect(try event == logged.decoded())
            read.append(logged)
            return try isWanted(logged)
        }
        return read
    }

    private struct Enough: Error {}

    @Test("Chunks of any size give the same events, from any version through any other", arguments: [1, 7, 64, 2_000])
    func chunks(limit: Int) throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let own = history.events.filter { $0.user == user }
        let head = own.count
        #expect(try read(atOnce: limit, on: connection) == own)
        for (from, to) in [(0, 1), (0, limit), (3, 3 + 2 * limit), (head - 1, head), (head, head)] {
            let expected = own.dropFirst(from).prefix(max(0, min(to, head) - from))
            let read = try read(
                after: Version(Int64(from)), through: Version(Int64(to)), atOnce: limit, on: connection)
            #expect(read == Array(expected), "\(from) to \(to)")
        }
    }

    @Test("Who has enough, or throws, gets no more, and the connection serves on", arguments: [1, 7, 2_000])
    func ends(limit: Int) throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let own = history.events.filter { $0.user == user }
        for end in [1, 7, 20] {
            let read = try read(atOnce: limit, on: connection) { $0.version.rawValue < end }
            #expect(read == Array(own.prefix(end)))
            #expect(throws: Enough.self) {
                _ = try self.read(atOnce: limit, on: connection) { _ in throw Enough() }
            }
        }
        #expect(connection.isIdle)
    }

    @Test("An event that cannot be read is an error where it stands, after all before it", arguments: [1, 7, 2_000])
    func unreadable(limit: Int) throws {
        let connection = try fixture.connection()
        defer { connection.close() }
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        try owner.execute("UPDATE events SET encoding = 9 WHERE user_id = '\(user)' AND version = 30")
        var seen: [Version] = []
        #expect(throws: EventStoreError.self) {
            _ = try read(atOnce: limit, on: connection) { logged in
                seen.append(logged.version)
                return true
            }
        }
        #expect(seen == (1...29).map { Version($0) })
        #expect(try read(through: Version(29), atOnce: limit, on: connection).count == 29)
    }
}
