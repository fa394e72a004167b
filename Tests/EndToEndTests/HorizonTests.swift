import Foundation
import Support
import Testing

import struct FocusCore.Cursor

@testable import FocusCore
@testable import FocusSyncClient
@testable import SyncServer

/// Rule S5 with a real server, and a device that missed more removals than the server keeps tombstones.
@Suite("Tombstone horizon", .fewAtATime) struct HorizonTests {
    private static let app = "com.example.chat"

    /// Posts and removes this many notifications; each makes two rows.
    private func comeAndGo(_ count: Int, _ server: TestServer, _ user: UserID) async throws {
        let (client, _) = try await WireClient.open(server, user: user)
        var sequence: Int64 = 1
        func append(_ envelopes: [Envelope]) async throws {
            try await client.append(from: sequence, envelopes)
            sequence += Int64(envelopes.count)
            #expect(try await client.appended().refused == [])
        }
        for start in stride(from: 0, to: count, by: 1_000) {
            let ids = (start..<min(start + 1_000, count)).map { "gone\($0)" }
            try await append(ids.map { .post($0, app: Self.app) })
            try await append([.of(.notificationRemoved(NotificationIDs(ids: ids)), app: Self.app)])
        }
        await client.close()
    }

    @Test(
        "S5: a cursor older than the horizon gets a snapshot; the old view stays until it ends, and then nothing of it")
    func horizon() async throws {
        try await TestServer.with { server in
            let user = UserID.random()
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let device = HealedDevice(user: user, scope: .system, directory: state + "/device")
            let app = AppID(Self.app)
            try await device.with(port: server.port) { client in
                _ = try await client.append([
                    EventDraft(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: app),
                    EventDraft(
                        .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)),
                        app: app),
                    EventDraft(.notificationPosted(NotificationPosted(notificationID: "old", body: "b")), app: app),
                    EventDraft(.notificationPosted(NotificationPosted(notificationID: "kept", body: "b")), app: app),
                ])
                #expect(try await client.synchronize() == [])
            }
            let (client, _) = try await WireClient.open(server, user: user)
            try await client.append(
                from: 1, [.of(.notificationRemoved(NotificationIDs(ids: ["old"])), app: Self.app)])
            _ = try await client.appended()
            await client.close()
            try await comeAndGo(TombstoneQueue.limit / 2 + 100, server, user)

            let (cursor, before): (Cursor?, [ConfirmedRow]) = try await device.offline { store in
                (try store.cursor, try store.rows())
            }
            // On the wire: a snapshot, although the cursor is valid and the log lost nothing.
            let (wire, welcome) = try await WireClient.open(
                server, user: user, device: device.id, incarnation: 99, cursor: cursor)
            #expect(!welcome.logIsBehind)
            guard case .snapshotBegin(_, let collections) = try await wire.next() else {
                Issue.record("no snapshot")
                return
            }
            #expect(collections == [])
            await wire.close()
            // A snapshot that began and was cut off leaves the rows as they were.
            try await device.offline { store in
                try store.beginStaging()
                try store.stage([DeltaRow(key: RowKey(.badges, app: app), version: Version(1), value: [8, 9])])
            }
            let after = try await device.offline { try $0.rows() }
            #expect(after == before)
            try await device.with(port: server.port) { client in
                #expect(try await client.synchronize() == [])
                let ids = try client.rows(in: .notifications).map(\.key.key)
                #expect(ids == ["kept"])
                #expect(device.snapshots == 2 && device.healings == [])
                #expect(device.goneRows.contains(RowKey(.notifications, app: app, key: "old")))
            }
        }
    }
}
