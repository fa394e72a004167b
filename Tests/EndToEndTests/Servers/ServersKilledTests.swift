import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

/// A device may connect to any server, also when its own one is gone.
@Suite("Servers killed", .fewAtATime) struct ServersKilledTests {
    private static let rounds = 12

    @Test("P1, P2: one of several servers is killed; its devices go to another and lose nothing", arguments: [2, 4])
    func killed(count: Int) async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        var servers: [FocusdProcess] = []
        for _ in 0..<count { servers.append(try await FocusdProcess(database: conninfo)) }
        let users = (0..<3).map { _ in UserID.random() }
        var devices: [Roamer] = []
        for index in 0..<count * 2 {
            devices.append(
                try Roamer(
                    user: users[index % users.count], directory: servers[index % count].directory, index: index,
                    addresses: (0..<count).map { servers[(index + $0) % count].address }))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices { group.addTask { try await device.run(rounds: Self.rounds) } }
            let victim = devices[0]
            // In the middle of the work of the victim's devices and the others.
            try await awaiting("the victim has work done", within: .seconds(600)) { victim.acknowledged.count >= 6 }
            await servers[0].kill()
            try await group.waitForAll()
        }
        try await verify(devices, conninfo)
        for device in devices { await device.close() }
        for server in servers { await server.remove() }
    }

    /// Every acknowledged event is in the log exactly once, no other event of the devices is, and the devices' rows
    /// agree.
    private func verify(_ devices: [Roamer], _ conninfo: String) async throws {
        let (logged, versions) = try await onThread {
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let log = try LogIdentity.read(on: connection)
            var logged: [EventID: Int] = [:]
            var versions: [UserID: Version] = [:]
            for head in try LogReader().heads(of: log.allPartitions, on: connection) {
                let events = try LogReader().events(
                    partition: head.partition, from: .zero, limit: Int(head.nextOffset.rawValue), on: connection)
                for event in events {
                    if event.device != .server { logged[event.id, default: 0] += 1 }
                    versions[event.user] = event.version
                }
            }
            return (logged, versions)
        }
        for device in devices {
            #expect(device.acknowledged.count == Self.rounds + 2)
            for event in device.acknowledged { #expect(logged[event] == 1) }
            // The device's server may learn of other devices' events only with its next poll.
            #expect(try await device.synchronize(through: try #require(versions[device.user])) == [])
        }
        #expect(logged.count == devices.reduce(0) { $0 + $1.acknowledged.count })
        for (user, own) in Dictionary(grouping: devices, by: \.user) {
            let views = Set(try own.map { try $0.rows() })
            #expect(views.count == 1, "devices of \(user) differ")
        }
    }
}

/// A device that changes to the next server when its own does not answer.
// @unchecked: used by one task at a time, except `acknowledged`, which has a lock.
private final class Roamer: @unchecked Sendable {
    let user: UserID
    private let device = DeviceID.random()
    private let store: DeviceStore
    private var addresses: [ServerAddress]
    private let app: AppID
    private var client: SyncClient?
    private let lock = NSLock()
    private var known: [EventID] = []

    var acknowledged: [EventID] { lock.withLock { known } }

    init(user: UserID, directory: String, index: Int, addresses: [ServerAddress]) throws {
        self.user = user
        self.addresses = addresses
        app = AppID("com.example.app\(index)")!
        store = try DeviceStore(directory: directory + "/roamer-\(index)")
    }

    func run(rounds: Int) async throws {
        try await append([
            EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app),
            EventDraft(
                .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
        ])
        for round in 0..<rounds {
            try await append([
                EventDraft(.notificationPosted(NotificationPosted(notificationID: "n\(round)", body: "b")), app: app)
            ])
        }
    }

    /// Queues the events once; whichever server answers in the end gets them from the store.
    private func append(_ drafts: [EventDraft]) async throws {
        let events = try await connected().enqueue(drafts)
        for _ in 0..<20 {
            do {
                try await connected().waitUntilAnswered()
                return lock.withLock { known += events.map(\.envelope.id) }
            } catch SyncClientError.unreachable {
                await close()
                addresses.append(addresses.removeFirst())
            }
        }
        throw NeverHappened(description: "no server answers")
    }

    func synchronize(through version: Version) async throws -> [RowCollection] {
        try await connected().synchronize(through: version)
        return try await connected().synchronize()
    }

    func rows() throws -> [RowKey: [UInt8]] {
        Dictionary(uniqueKeysWithValues: try store.rows(in: nil).map { ($0.key, $0.value) })
    }

    func close() async {
        await client?.close()
        client = nil
    }

    private func connected() async throws -> SyncClient {
        if let client { return client }
        var configuration = SyncClientConfiguration(
            server: addresses[0], security: .plaintext, token: try TestServer.token(user, device))
        configuration.maximumAttempts = 3
        configuration.timeout = .seconds(300)
        configuration.backoff = ReconnectBackoff(ceiling: 5...50)
        let made = try SyncClient(configuration: configuration, store: store)
        client = made
        return made
    }
}
