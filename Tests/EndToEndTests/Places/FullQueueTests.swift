import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import Support
import Testing

@testable import SyncServer

/// Rule P10 at the limit of a device's queue, with the client library and its store on disk.
@Suite("Full queue", .fewAtATime) struct FullQueueTests {
    @Test("P2, P10: a full queue that the log has already, and a new event behind it: each is there once and answered")
    func restored() async throws {
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let (user, device) = (UserID.random(), DeviceID.random())
            let token = try TestServer.token(user, device)
            let reports = NIOLockedValueBox<[RecallReport]>([])
            func open() throws -> SyncClient {
                var configuration = SyncClientConfiguration.patient(port: server.port, token: token)
                configuration.onUpdate = { update in
                    if case .recalled(let report) = update { reports.withLockedValue { $0.append(report) } }
                }
                return try SyncClient(configuration: configuration, store: DeviceStore(directory: state + "/device"))
            }
            func shut(_ client: SyncClient) async throws {
                await client.close()
                try client.store.close()
            }

            let known = DeviceStore.queueLimit - 1
            // The events are durable but not sent, because this client does not connect.
            var client = try open()
            var events = try await client.enqueue(Self.drafts(0..<known)).map(\.envelope.id)
            try await shut(client)
            try FileManager.default.copyItem(atPath: state + "/device", toPath: state + "/backup")
            client = try open()
            let first = try await client.submitQueued().outcomes()
            #expect(first.count == known && first.count { !$0.isAccepted } == known / 100)
            // The first life appends more, so the place of the new event is taken.
            let lost = try await client.append(Self.drafts(known..<known + 3)).map(\.event)
            try await shut(client)

            try FileManager.default.removeItem(atPath: state + "/device")
            try FileManager.default.moveItem(atPath: state + "/backup", toPath: state + "/device")
            client = try open()
            let new = try await client.enqueue(Self.drafts(known + 3..<known + 4)).map(\.envelope.id)
            let again = try await client.submitQueued().outcomes()
            #expect(again.map(\.event) == events + new)
            #expect(again.dropLast().map(\.verdict) == first.map(\.verdict))
            #expect(again.last?.isAccepted == true)
            #expect(try !client.store.hasQueued && !client.store.isRecalling)
            // All queued events were answered at their places before the store reached the one in conflict, so only
            // that one moved.
            #expect(reports.withLockedValue { $0.map(\.moved) } == [1])
            try await shut(client)

            events += lost + new
            let logged = try await onThread { try server.events(of: user).filter { $0.device != .server } }
            #expect(logged.map(\.id) == events)
        }
    }

    /// Drafts of events; the first one registers the app, and every hundredth is refused.
    private static func drafts(_ numbers: Range<Int>) -> [EventDraft] {
        numbers.map { number in
            let app = AppID("com.example.app")
            guard number > 0 else { return EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app) }
            let change = PreferenceChanged(key: "k\(number % 50)", value: .integer(Int64(number)))
            return EventDraft(.preferenceChanged(change), app: number % 100 == 0 ? AppID("com.example.unknown") : app)
        }
    }
}
