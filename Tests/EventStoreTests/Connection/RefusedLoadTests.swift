import EventStore
import FocusCore
import PostgresClient
import Support
import Testing

/// Users who are loaded with one statement, which PostgreSQL refuses for what the rows of some of them hold.
@Suite struct RefusedLoadTests {
    private static let partition = RandomHistory.partition
    /// Places among the users who are loaded together.
    private static let refusals: [[Int]] = [[], [0], [13], [19], [2, 3, 17], Array(0..<20)]

    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Has the read model show the user at the last version that there can be. The search for events past it overflows,
    /// so PostgreSQL refuses every statement that loads the user.
    private func damage(_ user: UserID) throws {
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute("UPDATE read_1.users SET version = \(Int64.max) WHERE user_id = '\(user)'")
    }

    @Test(
        "PostgreSQL refuses the rows of some of many users: each of those fails, and everybody else is loaded",
        arguments: refusals)
    func others(refused: [Int]) throws {
        let history = try RandomHistory(seed: 8, users: 20, events: 0)
        let connection = try fixture.connection()
        try history.log(on: connection)
        try history.project(history.users, on: connection)
        for place in refused { try damage(history.users[place]) }
        var configuration = PostgresConfiguration(conninfo: fixture.conninfo)
        // A scan of the whole log could leave out the user's events before it finds where the search ends.
        configuration.settings["enable_seqscan"] = "off"
        let troubles = Recorder<PostgresError.Kind>()
        let store = StoreConnection(
            StoreConfiguration(configuration), isStopping: { false }, onTrouble: { troubles.add($0.kind) })
        defer { store.close() }

        let loaded = try store.load(history.users.map { (Self.partition, $0) })
        #expect(Set(loaded.keys) == Set(history.users))
        for (place, user) in history.users.enumerated() {
            if refused.contains(place) {
                let error = #expect(throws: PostgresError.self) { try loaded[user]?.get() }
                #expect(error?.sqlState == "22003", "a number out of range")
            } else {
                let found = try #require(loaded[user]).get()
                #expect(found.state.version == history.last(of: user).version)
            }
        }
        #expect(troubles.values.isEmpty && store.connectionNumber == 1, "the connection stays")
    }
    @Test(
        "Disk, memory or a set limit that PostgreSQL lacks is no user's fault: all wait, and are loaded when it has some",
        arguments: ["53100", "53200", "53400"])
    func lacksResources(state: String) throws {
        let history = try RandomHistory(seed: 8, users: 20, events: 0)
        let connection = try fixture.connection()
        try history.log(on: connection)
        try history.project(history.users, on: connection)
        let store = StoreConnection(fixture.configuration, isStopping: { false }, onTrouble: { _ in })
        defer { store.close() }
        let users = history.users.map { (Self.partition, $0) }
        let owner = try fixture.owner()
        defer { owner.close() }
        try owner.execute(
            """
            CREATE FUNCTION lacks() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE SQLSTATE ''\(state)''; END';
            ALTER TABLE read_1.users RENAME TO kept;
            CREATE VIEW read_1.users AS SELECT * FROM read_1.kept WHERE lacks();
            GRANT SELECT ON read_1.users TO PUBLIC
            """)
        let error = #expect(throws: PostgresError.self) { try store.load(users) }
        #expect(error?.sqlState == state)
        try owner.execute("DROP VIEW read_1.users; ALTER TABLE read_1.kept RENAME TO users")
        let loaded = try store.load(users)
        for user in history.users {
            #expect(try #require(loaded[user]).get().state.version == history.last(of: user).version)
        }
    }
}
