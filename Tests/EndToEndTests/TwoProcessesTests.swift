import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Correctness rests on the row lock and the primary key, not on what a process holds in memory.
@Suite("Two processes", .fewAtATime) struct TwoProcessesTests {
    @Test(
        "Two focusd on one log, writing to the same partitions: dense offsets in commit order, no reader skips, no deadlock"
    )
    func interleavedWriters() async throws {
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        let first = try await FocusdProcess(database: conninfo)
        let second = try await FocusdProcess(database: conninfo)
        let users = (0..<3).map { _ in UserID.random() }
        let reader = TailingReader(conninfo: conninfo, until: users.count * 2 * (152 + 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in users {
                for (index, server) in [first, second].enumerated() {
                    group.addTask { [address = server.address, directory = server.directory] in
                        try await Self.append(user, app: "com.example.app\(index)", to: address, state: directory)
                    }
                }
            }
            try await group.waitForAll()
        }
        let seen = try await reader.result()
        for (partition, offsets) in seen {
            #expect(
                offsets == Array(0..<Int64(offsets.count)), "partition \(partition) was read with a gap or out of order"
            )
        }
        // Each device's incarnation is an event too.
        #expect(seen.values.reduce(0) { $0 + $1.count } == users.count * 2 * (152 + 1))
        #expect(await first.terminate())
        #expect(await second.terminate())
        await first.remove()
        await second.remove()
    }

    private static func append(_ user: UserID, app: String, to address: ServerAddress, state: String) async throws {
        let device = DeviceID.random()
        var configuration = SyncClientConfiguration(
            server: address, security: .plaintext, token: try TestServer.token(user, device))
        configuration.timeout = .seconds(300)
        let client = try SyncClient(
            configuration: configuration, store: DeviceStore(directory: state + "/\(device)"))
        let id = AppID(app)!
        var drafts = [
            EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: id),
            EventDraft(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: id),
        ]
        for batch in 0..<30 {
            drafts += (0..<5).map {
                EventDraft(
                    .notificationPosted(NotificationPosted(notificationID: "\(batch)-\($0)", body: "b")), app: id)
            }
            let outcomes = try await client.append(drafts)
            let refused = outcomes.filter { !$0.isAccepted }
            #expect(refused.isEmpty)
            drafts = []
        }
        #expect(try await client.synchronize() == [])
        await client.close()
    }
}

/// Reads every partition from its last offset on, again and again, as a projector or an analyst would, while others
/// write.
private final class TailingReader: Sendable {
    private let task: AsyncThrowingStream<[Partition: [Int64]], any Error>

    init(conninfo: String, until count: Int) {
        let (stream, continuation) = AsyncThrowingStream<[Partition: [Int64]], any Error>.makeStream()
        task = stream
        // On a thread of its own, because it blocks on the database.
        Thread {
            do {
                continuation.yield(try Self.read(conninfo, count))
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }.start()
    }

    func result() async throws -> [Partition: [Int64]] {
        for try await result in task { return result }
        return [:]
    }

    private static func read(_ conninfo: String, _ count: Int) throws -> [Partition: [Int64]] {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { connection.close() }
        let partitions = [Partition(0), Partition(1)]
        var seen: [Partition: [Int64]] = [:]
        var total = 0
        // Long enough for all appends of the test.
        try eventually("every event was read", within: .seconds(900)) {
            for partition in partitions {
                let next = LogOffset((seen[partition]?.last ?? -1) + 1)
                let events = try LogReader().events(partition: partition, from: next, limit: 100, on: connection)
                seen[partition, default: []] += events.map(\.offset.rawValue)
                total += events.count
            }
            return total >= count
        }
        return seen
    }
}
