import EventStore
import FocusCore
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

@testable import FocusSyncClient
@testable import SyncServer

/// A server and its database, which can be reset to an earlier state, as by restoring a backup or promoting a standby.
final class RestorableLog {
    private(set) var server: TestServer
    private let directory: String
    private var stores = 0

    init() async throws {
        server = try await TestServer.start(partitions: 2)
        directory = try TestDirectory.make()
    }

    func stop() async throws {
        try await server.server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }

    private static func name(_ conninfo: String) -> String {
        conninfo.split(separator: "'").last.map(String.init) ?? ""
    }

    /// Copies the database as it is now; devices are disconnected meanwhile.
    func backUp() async throws -> String {
        try await server.server.stop()
        let current = server.conninfo
        let copy = try await onThread { try TestCluster.shared.makeDatabase(template: Self.name(current)) }
        server = try await TestServer.start(conninfo: current)
        return copy
    }

    /// Copies a database that no server uses.
    func copy(of database: String) async throws -> String {
        try await onThread { try TestCluster.shared.makeDatabase(template: Self.name(database)) }
    }

    /// Restarts the server on the copy.
    func restore(_ copy: String) async throws {
        try await server.server.stop()
        server = try await TestServer.start(conninfo: copy)
    }

    func device(_ user: UserID, scope: Scope = .system) async throws -> HealedDevice {
        stores += 1
        return HealedDevice(user: user, scope: scope, directory: "\(directory)/device-\(stores)")
    }

    /// The user's stream, and the state that a fresh fold of it gives. The stream leaves out what the server logs of
    /// incarnations before their first event.
    func replay(_ user: UserID) async throws -> (events: [LoggedEvent], state: UserState) {
        let server = server
        let events = try await onThread { try server.events(of: user) }
        var state = UserState(user: user)
        for event in events { _ = try state.apply(event.decoded()) }
        return (events.filter { $0.type != EventType.deviceIncarnationBegan.rawValue }, state)
    }
}

/// A device that connects to whichever server is running.
final class HealedDevice: Sendable {
    let user: UserID
    let id = DeviceID.random()
    let scope: Scope
    private let directory: String
    private let seen = NIOLockedValueBox<[SyncUpdate]>([])

    init(user: UserID, scope: Scope, directory: String) {
        (self.user, self.scope, self.directory) = (user, scope, directory)
    }

    var healings: [HealingReport] {
        seen.withLockedValue { updates in
            updates.compactMap { update in if case .healed(let report) = update { report } else { nil } }
        }
    }

    var snapshots: Int {
        seen.withLockedValue { updates in
            updates.count { update in if case .rows(_, _, isSnapshot: true) = update { true } else { false } }
        }
    }

    /// The rows that the device was told are removed.
    var goneRows: Set<RowKey> {
        seen.withLockedValue { updates in
            var gone: Set<RowKey> = []
            for case .rows(let changes, _, _) in updates {
                for change in changes where change.after == nil { gone.insert(change.key) }
            }
            return gone
        }
    }

    private func open() async throws -> DeviceStore {
        let directory = directory
        return try await onThread { try DeviceStore(directory: directory) }
    }

    /// Opens the store while no client has it open.
    func offline<T>(_ body: (DeviceStore) throws -> T) async throws -> T {
        let store = try await open()
        let result = try body(store)
        try store.close()
        return result
    }

    var incarnations: Int {
        seen.withLockedValue { updates in
            updates.count { update in if case .newIncarnation = update { true } else { false } }
        }
    }

    func with<T>(_ log: RestorableLog, _ body: (SyncClient) async throws -> T) async throws -> T {
        try await with(port: log.server.port, body)
    }

    func with<T>(port: Int, _ body: (SyncClient) async throws -> T) async throws -> T {
        var configuration = SyncClientConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: port), security: .plaintext,
            token: try TestServer.token(user, id, scope))
        configuration.timeout = .seconds(300)
        configuration.backoff = ReconnectBackoff(ceiling: 5...100)
        configuration.onUpdate = { [seen] update in seen.withLockedValue { $0.append(update) } }
        let client = try await SyncClient(configuration: configuration, store: open())
        do {
            let result = try await body(client)
            await client.close()
            try client.store.close()
            return result
        } catch {
            await client.close()
            try client.store.close()
            throw error
        }
    }

    /// Connects and waits until the rows are the server's.
    func synchronize(port: Int) async throws {
        try await with(port: port) { client in
            let differing = try await client.synchronize()
            #expect(differing == [], "digests differ")
        }
    }

    /// Expects the rows that a replay of the log gives.
    func expectRows(_ client: SyncClient, equal state: UserState) throws {
        let view = View(scope: scope, device: id, deviceClass: .phone, isClassProven: false)
        let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: .max)
        let expected = Dictionary(uniqueKeysWithValues: page.rows.map { ($0.key, $0.value) })
        let held = Dictionary(uniqueKeysWithValues: try client.rows().map { ($0.key, Optional($0.value)) })
        #expect(held == expected, "device \(id) does not hold what a replay gives")
    }
}
