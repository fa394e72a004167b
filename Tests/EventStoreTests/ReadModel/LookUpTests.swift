import FocusCore
import Foundation
import PostgresClient
import SeededNumbers
import Testing

@testable import EventStore

/// What a session with a current cursor needs of its user, without a load.
@Suite("UserLoader.lookUp") struct LookUpTests {
    private let fixture: StoreFixture
    private let connection: PostgresConnection
    private let log = LogID(UUID())

    init() throws {
        fixture = try StoreFixture()
        connection = try fixture.connection()
    }

    private func lookUp(_ user: UserID) throws -> UserOutline? {
        try UserLoader().lookUp([(RandomHistory.partition, user)], assuming: [:], on: connection)[user]
    }

    private func load(_ user: UserID) throws -> LoadedUser {
        try #require(try UserLoader().load([(RandomHistory.partition, user)], on: connection)[user]).get()
    }

    private func count(_ sql: String) throws -> Int64 { try connection.integer(sql) }

    private static let stored = "SELECT count(*) FROM read_1.users WHERE digests_version = version"

    /// Writes what the read model lacks of the user, with the digest sums or without.
    private func project(_ user: UserID, digests: Bool) throws {
        let loaded = try load(user)
        var state = loaded.state
        let projected = ProjectedUser(
            state, keys: Array(loaded.touchedKeys), base: loaded.projectedVersion, dueAt: state.dueAt, stateBytes: nil,
            digests: digests ? state.storedDigests(hashingAtMost: .max) : nil)
        let batch = ProjectionBatch(
            partition: RandomHistory.partition, generation: 1, checkpoint: .zero, users: [projected])
        #expect(try ProjectionWriter().write(batch, on: connection).missing == [])
    }

    @Test(
        "An outline says of heads, devices and digests what the whole user says, in random histories",
        arguments: 1...4 as ClosedRange<UInt64>)
    func alike(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let history = try RandomHistory(seed: seed, users: 2, events: 240)
        var (logged, found) = (0, 0)
        while logged < history.events.count {
            logged = try history.log(next: Int.random(in: 1...40, using: &random), after: logged, on: connection)
            for user in history.users where Bool.random(using: &random) { try project(user, digests: true) }
            for user in history.users {
                let loaded = try load(user)
                let outline = try lookUp(user)
                #expect((outline == nil) == !loaded.touchedKeys.isEmpty, "seed \(seed), \(logged) events")
                guard let outline else { continue }
                found += 1
                #expect(outline.head == loaded.head && outline.state.version == loaded.state.version)
                var state = loaded.state
                let apps = Set(state.rowKeys.compactMap(\.app)).sorted { $0.rawValue < $1.rawValue }
                for scope in [Scope.system] + apps.map(Scope.app) {
                    for view in [View(scope: scope, device: .server, deviceClass: .phone)].flatMap({
                        [$0, $0.silenced]
                    }) {
                        let head = state.head(of: view)
                        #expect(outline.state.head(of: view) == head)
                        #expect(outline.digests.digests(in: view) == state.digests(in: view))
                        let cursor = Cursor(log: log, version: head.version, event: head.event, view: view.hash)
                        #expect(outline.state.ends(at: cursor))
                        #expect(
                            outline.state.mayContinue(head.version, head.event, in: view)
                                == state.mayContinue(head.version, head.event, in: view))
                    }
                }
                for event in history.events where event.user == user {
                    #expect(
                        outline.state.lastSequence(of: event.device, incarnation: event.incarnation)
                            == state.lastSequence(of: event.device, incarnation: event.incarnation))
                    #expect(outline.state.isRevoked(event.device) == state.isRevoked(event.device))
                    let scope = event.app.map(Scope.app) ?? .system
                    #expect(
                        outline.state.status(of: event.incarnation, device: event.device, scope: scope)
                            == state.status(of: event.incarnation, device: event.device, scope: scope))
                }
            }
        }
        #expect(found > 3, "seed \(seed) says little")
    }

    @Test("Nobody is looked up of whom the rows lack events, or the sums are unknown, of another version or no sums")
    func unusable() throws {
        let history = try RandomHistory(seed: 5, users: 1, events: 40)
        let user = history.users[0]
        let logged = try history.log(next: 30, after: 0, on: connection)
        try project(user, digests: false)
        #expect(try lookUp(user) == nil && !load(user).hasDigests)
        // The same version once more, with sums.
        try project(user, digests: true)
        #expect(try lookUp(user) != nil && load(user).hasDigests)
        #expect(try count(Self.stored) == 1)
        // A server that does not know them leaves them.
        try project(user, digests: false)
        #expect(try lookUp(user) != nil)
        _ = try history.log(next: 10, after: logged, on: connection)
        #expect(try lookUp(user) == nil)
        try project(user, digests: false)
        #expect(try lookUp(user) == nil && count(Self.stored) == 0)
        try project(user, digests: true)
        #expect(try lookUp(user) != nil)
        try fixture.owner().execute("UPDATE read_1.users SET digests = '\\x0801ff'")
        #expect(try lookUp(user) == nil && load(user).hasDigests)
    }

    @Test("A user without events is looked up; users past the bound of memory are not, and dropped generations neither")
    func bounds() throws {
        let users = (0..<4).map { _ in UserID(UUID()) }
        let wanted = users.map { (RandomHistory.partition, $0) }
        let size = Int(UserLoader.unknownBytes)
        for (bytes, count) in [(1, 1), (size, 1), (size + 1, 2), (4 * size, 4)] {
            let found = try UserLoader(bytes: bytes).lookUp(wanted, assuming: [:], on: connection)
            #expect(Set(found.keys) == Set(users.prefix(count)))
        }
        let gone = [RandomHistory.partition: Int32(77)]
        #expect(try UserLoader().lookUp(wanted, assuming: gone, on: connection).isEmpty)
    }

    @Test("Who is asked for with current cursors is looked up, and everybody else loaded by the same question")
    func find() throws {
        let history = try RandomHistory(seed: 6, users: 3, events: 90)
        _ = try history.log(next: 90, after: 0, on: connection)
        for user in history.users { try project(user, digests: true) }
        let store = StoreConnection(fixture.configuration, isStopping: { false }, onTrouble: { _ in })
        defer { store.close() }
        let states = try history.users.map { try load($0).state }
        func cursor(_ state: UserState, behind: Int64 = 0) -> Cursor {
            Cursor(
                log: log, version: Version(state.version.rawValue - behind), event: state.lastEvent, view: 1)
        }
        let found = try store.find(
            history.users.map { (RandomHistory.partition, $0) },
            cursors: [
                history.users[0]: [cursor(states[0])],
                history.users[1]: [cursor(states[1]), cursor(states[1], behind: 1)],
            ])
        #expect(Set(found.outlines.keys) == [history.users[0]])
        #expect(Set(found.loaded.keys) == Set(history.users[1...]))
    }
}
