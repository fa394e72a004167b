import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import Support
import Testing

/// A device whose store was restored: the log has most of its queue, and other events at the places of the rest.
struct RecallingDevice {
    /// The device's pending work, on a connection that may be lost.
    final class Work: Sendable {
        fileprivate let client: SyncClient
        fileprivate let outcomes: Task<[AppendOutcome], any Error>
        private let over = NIOLockedValueBox(false)

        fileprivate init(_ client: SyncClient, _ body: @escaping @Sendable () async throws -> [AppendOutcome]) {
            self.client = client
            outcomes = Task { [over] in
                defer { over.withLockedValue { $0 = true } }
                return try await body()
            }
        }

        var isOver: Bool { over.withLockedValue { $0 } }
    }

    private static let app = AppID("com.example.app")!

    private let server: FocusdProcess
    private let conninfo: String
    private let directory: String
    private let user = UserID.random()
    private let device = DeviceID.random()
    /// The ids of all events, in the order in which they were made.
    private var made: [EventID] = []
    private var queued: ArraySlice<EventID> = []

    /// - Parameter queued: the number of queued events; the log has three quarters of them.
    init(_ server: FocusdProcess, conninfo: String, queued count: Int) async throws {
        (self.server, self.conninfo) = (server, conninfo)
        directory = try TestDirectory.make()
        let known = count * 3 / 4
        made += try await living { try await $0.append(Self.drafts(0..<3)).map(\.event) }
        made += try await living { try await $0.enqueue(Self.drafts(3..<3 + known)).map(\.envelope.id) }
        try FileManager.default.copyItem(atPath: directory + "/device", toPath: directory + "/backup")
        made += try await living { client in
            _ = try await client.submitQueued().outcomes()
            return try await client.append(Self.drafts(3 + known..<5 + known)).map(\.event)
        }
        try FileManager.default.removeItem(atPath: directory + "/device")
        try FileManager.default.moveItem(atPath: directory + "/backup", toPath: directory + "/device")
        let new = try await living {
            try await $0.enqueue(Self.drafts(5 + known..<5 + count)).map(\.envelope.id)
        }
        queued = made[3..<3 + known] + new
        made += new
    }

    /// Connects, recalls, and appends after that.
    func begin() async throws -> Work {
        let client = try await open()
        return Work(client) { [next = made.count] in
            let queued = try await client.submitQueued()
            let behind = try await client.submit(Self.drafts(next..<next + 3))
            var outcomes = try await queued.outcomes() + behind.outcomes()
            for number in 3..<6 { outcomes += try await client.append(Self.drafts(next + number..<next + number + 1)) }
            return outcomes
        }
    }

    /// Expects that everything is answered, and logged once in the order in which it was made.
    func verify(_ work: Work) async throws {
        let outcomes = try await work.outcomes.value
        #expect(outcomes.allSatisfy { $0.isAccepted })
        #expect(outcomes.count == queued.count + 6 && outcomes.prefix(queued.count).map(\.event) == Array(queued))
        #expect(try !work.client.store.hasQueued && !work.client.store.isRecalling)
        await work.client.close()
        try work.client.store.close()
        let logged = try await onThread { [conninfo, user] in
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            defer { connection.close() }
            let partition = try LogIdentity.read(on: connection).partition(of: user)
            return try LogReader().events(
                of: user, partition: partition, after: .zero, limit: 10_000, on: connection)
        }
        #expect(
            logged.filter { $0.device != .server }.map(\.id) == made + outcomes.dropFirst(queued.count).map(\.event))
        try FileManager.default.removeItem(atPath: directory)
    }

    private func living(_ body: (SyncClient) async throws -> [EventID]) async throws -> [EventID] {
        let client = try await open()
        let events = try await body(client)
        await client.close()
        try client.store.close()
        return events
    }

    private func open() async throws -> SyncClient {
        var configuration = SyncClientConfiguration.patient(
            port: server.port, token: try TestServer.token(user, device))
        configuration.maximumAttempts = nil
        configuration.backoff = ReconnectBackoff(ceiling: 5...100)
        return try SyncClient(configuration: configuration, store: DeviceStore(directory: directory + "/device"))
    }

    /// Drafts of events; the first one registers the app.
    private static func drafts(_ numbers: Range<Int>) -> [EventDraft] {
        numbers.map { number in
            guard number > 0 else { return EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app) }
            let change = PreferenceChanged(key: "k\(number % 50)", value: .integer(Int64(number)))
            return EventDraft(.preferenceChanged(change), app: app)
        }
    }
}
