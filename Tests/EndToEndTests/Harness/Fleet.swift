import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

/// Devices that append through the client library and remember what was acknowledged, and the checks of all of it.
// @unchecked: only the test that owns the fleet uses `server`.
final class Fleet: @unchecked Sendable {
    let devices: [FleetDevice]
    private let server: FocusdProcess

    /// - Parameter proxy: the network through which every second device reaches the server.
    init(server: FocusdProcess, devices count: Int, users: Int, proxy: FlakyProxy? = nil) async throws {
        self.server = server
        let users = (0..<users).map { _ in UserID.random() }
        var devices: [FleetDevice] = []
        for index in 0..<count {
            devices.append(
                try await FleetDevice(
                    user: users[index % users.count], server: server, index: index,
                    port: index % 2 == 1 ? proxy?.port : nil))
        }
        self.devices = devices
    }

    var acknowledgedCount: Int { devices.reduce(0) { $0 + $1.acknowledged.count } }

    /// Returns when `count` events of the round have been acknowledged, or when the round has ended: a moment in the
    /// middle of work, found without a clock. A late call returns at once.
    func acknowledged(_ count: Int, in round: Int) async {
        await withCheckedContinuation { reached in
            progress.withLockedValue { progress in
                if progress.round > round || progress.round == round && (progress.count >= count || progress.isOver) {
                    reached.resume()
                } else {
                    progress.waiting = (round, count, reached)
                }
            }
        }
    }

    private struct Progress {
        var round = -1
        var count = 0
        var isOver = false
        var waiting: (round: Int, count: Int, reached: CheckedContinuation<Void, Never>)?
    }

    private let progress = NIOLockedValueBox(Progress())

    private func note(_ change: (inout Progress) -> Void) {
        progress.withLockedValue { progress in
            change(&progress)
            guard let waiting = progress.waiting, waiting.round == progress.round else { return }
            guard progress.count >= waiting.count || progress.isOver else { return }
            progress.waiting = nil
            waiting.reached.resume()
        }
    }

    func append(count: Int, round: Int) async throws {
        note { ($0.round, $0.count, $0.isOver) = (round, 0, false) }
        // Runs even if a device fails, so that nobody waits for the others any more.
        defer { note { $0.isOver = true } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask {
                    try await device.append(count: count, from: round * count) { self.note { $0.count += 1 } }
                }
            }
            try await group.waitForAll()
        }
    }

    func close() async {
        for device in devices { await device.close() }
    }

    /// Every acknowledged event is in the log exactly once, and each device's rows equal a fresh replay of the log.
    /// - Parameter conninfo: the server's database; nil: its own embedded cluster.
    func verify(in conninfo: String? = nil) async throws {
        let (logged, states) = try await onThread { try self.replay(conninfo) }
        // All devices at once, because each waits for the checkpoint that the server sends a second after the last
        // delta.
        try await withThrowingTaskGroup(of: [RowCollection].self) { group in
            for device in devices { group.addTask { try await device.client.synchronize() } }
            for try await differing in group { #expect(differing == [], "digests differ") }
        }
        for device in devices {
            for event in device.acknowledged {
                #expect(logged[event] == 1, "event \(event) is \(logged[event] ?? 0) times in the log")
            }
            let state = try #require(states[device.user])
            let view = View(scope: .system, device: device.id, deviceClass: .phone, isClassProven: false)
            let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: .max)
            let expected = Dictionary(uniqueKeysWithValues: page.rows.map { ($0.key, $0.value) })
            let held = Dictionary(uniqueKeysWithValues: try device.client.rows().map { ($0.key, Optional($0.value)) })
            #expect(held == expected, "device \(device.id) does not hold what a replay gives")
        }
    }

    private func replay(_ conninfo: String?) throws -> (logged: [EventID: Int], states: [UserID: UserState]) {
        let connection =
            try conninfo.map { try PostgresConnection(PostgresConfiguration(conninfo: $0)) } ?? server.database()
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        var logged: [EventID: Int] = [:]
        var states: [UserID: UserState] = [:]
        for head in try LogReader().heads(of: log.allPartitions, on: connection) {
            let count = Int(head.nextOffset.rawValue)
            let events = try LogReader().events(partition: head.partition, from: .zero, limit: count, on: connection)
            #expect(events.map(\.offset.rawValue) == Array(0..<Int64(count)), "offsets are dense")
            for event in events {
                logged[event.id, default: 0] += 1
                _ = try states[event.user, default: UserState(user: event.user)].apply(event.decoded())
            }
        }
        return (logged, states)
    }
}

/// One device of a fleet.
final class FleetDevice: Sendable {
    let user: UserID
    let id = DeviceID.random()
    let client: SyncClient
    private let app: AppID
    private let acknowledgedEvents = NIOLockedValueBox<[EventID]>([])

    init(user: UserID, server: FocusdProcess, index: Int, port: Int? = nil) async throws {
        self.user = user
        app = AppID("com.example.app\(index)")!
        var configuration = SyncClientConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: port ?? server.port), security: .plaintext,
            token: try TestServer.token(user, id))
        configuration.maximumAttempts = nil
        configuration.timeout = .seconds(300)
        configuration.backoff = ReconnectBackoff(ceiling: 5...100)
        client = try SyncClient(
            configuration: configuration, store: DeviceStore(directory: server.directory + "/device-\(index)"))
    }

    var acknowledged: [EventID] { acknowledgedEvents.withLockedValue { $0 } }

    /// Appends in batches of one to five events, as an app does.
    func append(count: Int, from start: Int, onAcknowledged: () -> Void = {}) async throws {
        if start == 0 {
            try await note([
                EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app),
                EventDraft(
                    .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
            ])
        }
        var next = start
        while next < start + count {
            let batch = next..<min(start + count, next + 1 + next % 5)
            try await note(batch.map(draft))
            for _ in batch { onAcknowledged() }
            next = batch.upperBound
        }
    }

    func close() async { await client.close() }

    private func draft(_ number: Int) -> EventDraft {
        let id = "n\(number % 40)"
        return switch number % 4 {
        case 3: EventDraft(.notificationRead(NotificationIDs(ids: [id, "n\(number % 7)"])), app: app)
        default:
            EventDraft(
                .notificationPosted(NotificationPosted(notificationID: id, title: "T", body: "\(number)")), app: app)
        }
    }

    private func note(_ drafts: [EventDraft]) async throws {
        let outcomes = try await client.append(drafts)
        for outcome in outcomes { #expect(outcome.isAccepted, "\(outcome)") }
        acknowledgedEvents.withLockedValue { $0 += outcomes.map(\.event) }
    }
}
