import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import PostgresClient
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// What happens to a device's events when its store is restored or its process is killed.
@Suite("Device store, hurt", .fewAtATime) struct DeviceStoreRestoreTests {
    @Test(
        "E1, P3, P10: a store restored from a backup asks what the log has; who waits is answered, each event is there once"
    )
    func restoredStore() async throws {
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let (user, device) = (UserID.random(), DeviceID.random())
            let reports = NIOLockedValueBox<[RecallReport]>([])
            func open() async throws -> SyncClient {
                var configuration = SyncClientConfiguration.patient(
                    port: server.port, token: try TestServer.token(user, device))
                configuration.onUpdate = { update in
                    if case .recalled(let report) = update { reports.withLockedValue { $0.append(report) } }
                }
                return try SyncClient(configuration: configuration, store: DeviceStore(directory: state + "/device"))
            }
            func shut(_ client: SyncClient) async throws {
                await client.close()
                try client.store.close()
            }

            var client = try await open()
            var events = try await client.append(Self.drafts(0..<3)).map(\.event)
            try await shut(client)
            // These events are queued and durable but not sent when the backup is made: this client connects to
            // nothing.
            client = try await open()
            events += try await client.enqueue(Self.drafts(3..<5)).map(\.envelope.id)
            try await shut(client)
            try FileManager.default.copyItem(atPath: state + "/device", toPath: state + "/backup")
            client = try await open()
            try await client.submitQueued().outcomes().forEach { #expect($0.isAccepted) }
            events += try await client.append(Self.drafts(5..<8)).map(\.event)
            try await shut(client)

            try FileManager.default.removeItem(atPath: state + "/device")
            try FileManager.default.moveItem(atPath: state + "/backup", toPath: state + "/device")
            client = try await open()
            events += try await client.enqueue(Self.drafts(8..<9)).map(\.envelope.id)
            // The log has two of the three queued events and answers for them; the third is new to it.
            let waiting = try await client.submitQueued().outcomes()
            #expect(waiting.map(\.event) == Array(events[3..<5] + events[8...]))
            #expect(waiting.filter { !$0.isAccepted } == [])
            #expect(try !client.store.hasQueued)
            let outcomes = try await client.append(Self.drafts(9..<11))
            #expect(outcomes.filter { !$0.isAccepted } == [])
            events += outcomes.map(\.event)
            #expect(try await client.synchronize() == [])
            #expect(reports.withLockedValue { $0.map(\.held) } == [2])
            #expect(reports.withLockedValue { $0.map(\.moved) } == [1])
            let confirmed = try await client.rows(of: .preferences)
            #expect(confirmed.count == 10)
            #expect(confirmed.filter(\.isPredicted) == [])
            try await shut(client)

            let logged = try await onThread { try server.events(of: user) }
            let itself = logged.filter { $0.device != .server }.map(\.id)
            #expect(
                itself.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
                    == events.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) })
        }
    }

    @Test(
        "Killed with -9 at any moment a device resumes exactly: every event it kept, once, in order",
        arguments: Seeds.fresh())
    func killedDevice(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let (user, device) = (UserID.random(), DeviceID.random())
            let token = try TestServer.token(user, device)
            let total = 1_200
            var kills = 0
            // Each process appends something, or all that is left.
            for attempt in 0... {
                try #require(attempt < 20, "what the device keeps does not grow")
                // The process that had the store open is dead, and its lock is gone.
                let store = try DeviceStore(directory: state + "/device")
                let kept = try store.sent().map(\.envelope.id) + store.queued().map(\.envelope.id)
                try store.close()
                guard kept.count < total else { break }
                let lines = (kept.count..<total).map(Self.line).joined(separator: "\n") + "\n"
                try lines.write(toFile: state + "/input", atomically: true, encoding: .utf8)
                let append = try ChildProcess(
                    "/bin/sh",
                    [
                        "-c",
                        "exec \(FocusdProcess.binary("focusctl")) append --plaintext --server 127.0.0.1:\(server.port)"
                            + " --state \(state)/device < \(state)/input > \(state)/output",
                    ], environment: ["FOCUS_TOKEN": token])
                let before = try await onThread { try server.events(of: user).count }
                let goal = before + Int.random(in: 1...400, using: &random)
                if goal < total, kills < 6 {
                    try await onThread {
                        try eventually("events reach the log") { try server.events(of: user).count >= goal }
                    }
                    append.signal(SIGKILL)
                    kills += 1
                }
                _ = await append.exitCode()
            }
            #expect(kills > 0, "seed \(seed)")
            let client = try SyncClient(
                configuration: .patient(port: server.port, token: token),
                store: DeviceStore(directory: state + "/device"))
            _ = try await client.submitQueued().outcomes()
            #expect(try await client.synchronize() == [])
            let kept = try client.store.sent()
            await client.close()
            let logged = try await onThread { try server.events(of: user).filter { $0.device != .server } }
            #expect(logged.map(\.id) == kept.map(\.envelope.id), "seed \(seed)")
            #expect(logged.map(\.payload) == kept.map(\.envelope.payload), "seed \(seed)")
            let expected = try (0..<total).map { try EventLine.draft(Array(Self.line($0).utf8)).payload }
            #expect(logged.map(\.payload) == expected, "seed \(seed): each line once, in order")
        }
    }

    /// Drafts of events; the first one registers the app.
    private static func drafts(_ numbers: Range<Int>) -> [EventDraft] {
        numbers.map { number in
            let app = AppID("com.example.app")
            guard number > 0 else { return EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app) }
            let change = PreferenceChanged(key: "k\(number)", value: .integer(Int64(number)))
            return EventDraft(.preferenceChanged(change), app: app)
        }
    }

    private static func line(_ number: Int) -> String {
        guard number > 0 else {
            return #"{"type":"app.registered","app":"com.example.app","payload":{"name":"App","build":"1"}}"#
        }
        let payload = #"{"key":"k\#(number % 50)","value":{"integer":"\#(number)"}}"#
        return #"{"type":"preference.changed","app":"com.example.app","payload":\#(payload)}"#
    }
}

extension TestServer {
    /// The user's stream in the log.
    func events(of user: UserID) throws -> [LoggedEvent] {
        let connection = try database()
        defer { connection.close() }
        var events: [LoggedEvent] = []
        for head in try LogReader().heads(of: log.allPartitions, on: connection) {
            events += try LogReader().events(
                partition: head.partition, from: .zero, limit: Int(head.nextOffset.rawValue), on: connection)
        }
        return events.filter { $0.user == user }
    }
}
