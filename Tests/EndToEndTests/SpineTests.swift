import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// The main path: append on one device → durable, acknowledged, folded → delta on another.
@Suite("Spine", .fewAtATime) struct SpineTests {
    private let user = UserID.random()

    @Test("An event that one device appends is in PostgreSQL when it is acknowledged, and a delta on the other device")
    func appendToDelta() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let (watch, _) = try await WireClient.open(server, user: user, deviceClass: .watch)
            try await phone.append(from: 1, Envelope.setUp("com.example.chat") + [.post("n1", app: "com.example.chat")])
            let appended = try await phone.appended()
            #expect(appended.throughSequence == DeviceSequence(3))
            #expect(appended.version == Version(4))
            #expect(appended.refused == [])
            let database = try server.database()
            #expect(try database.query(TestStatement.countEvents).int8(row: 0, column: 0) == 3)
            database.close()
            var replica = Replica()
            let notification = RowKey(.notifications, app: AppID("com.example.chat"), key: "n1")
            while replica.rows[notification] == nil { replica.apply(try await watch.next()) }
            while replica.checkpoints == 0 { replica.apply(try await watch.next()) }
            #expect(replica.mismatches == [])
            await phone.close()
            await watch.close()
        }
    }

    @Test("P7: after Appended, what the device gets next includes everything up to its version")
    func readYourWrites() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a") + [.post("n1", app: "a")])
            let version = try await phone.appended().version
            let cursor: Cursor = try await phone.first { message in
                switch message {
                case .delta(_, _, let cursor), .deltaEnd(let cursor), .snapshotEnd(let cursor): cursor
                default: nil
                }
            }
            #expect(cursor.version >= version)
            await phone.close()
        }
    }

    @Test("S1: without a cursor a snapshot, then live, with nothing missed or doubled")
    func snapshotThenLive() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a") + (1...40).map { .post("n\($0)", app: "a") })
            _ = try await phone.appended()
            let (tablet, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 43, (41...80).map { .post("n\($0)", app: "a") })
            var replica = Replica()
            while replica.rows.keys.filter({ $0.collection == .notifications }).count < 80 || replica.checkpoints == 0 {
                replica.apply(try await tablet.next())
            }
            #expect(replica.snapshots == 1)
            #expect(replica.mismatches == [])
            await phone.close()
            await tablet.close()
        }
    }

    @Test("S2: with a cursor, a delta of the rows changed since, each once, also deletions")
    func deltaSinceCursor() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let device = DeviceID.random()
            let (tablet, _) = try await WireClient.open(server, user: user, device: device)
            try await phone.append(from: 1, Envelope.setUp("a") + (1...5).map { .post("n\($0)", app: "a") })
            var replica = Replica()
            while replica.cursor?.version != Version(8) { replica.apply(try await tablet.next()) }
            await tablet.close()
            let removal = Envelope.of(.notificationRemoved(NotificationIDs(ids: ["n1"])), app: "a")
            try await phone.append(
                from: 8, [.post("n2", app: "a", body: "x"), .post("n2", app: "a", body: "y"), removal])
            while try await phone.appended().throughSequence < DeviceSequence(10) {}
            let (again, _) = try await WireClient.open(server, user: user, device: device, cursor: replica.cursor)
            guard case .delta(let from, let rows, let cursor) = try await again.next() else {
                Issue.record("not a delta")
                return
            }
            #expect(from == Version(8) && cursor.version == Version(11))
            #expect(Set(rows.map(\.key)).count == rows.count)
            let notifications = rows.filter { $0.key.collection == .notifications }
            #expect(notifications.map(\.key.key).sorted() == ["n1", "n2"])
            #expect(notifications.first { $0.key.key == "n1" }?.value == nil)
            replica.apply(.delta(from: from, rows: rows, cursor: cursor))
            while replica.checkpoints == 0 { replica.apply(try await again.next()) }
            #expect(replica.mismatches == [] && replica.snapshots == 1)
            await phone.close()
            await again.close()
        }
    }

    @Test("S4: a cursor of another log, another view, another history or the future gets a snapshot")
    func foreignCursors() async throws {
        try await TestServer.with { server in
            let device = DeviceID.random()
            let (phone, welcome) = try await WireClient.open(server, user: user, device: device)
            try await phone.append(from: 1, Envelope.setUp("a") + [.post("n1", app: "a")])
            var replica = Replica()
            while replica.cursor?.version != Version(4) { replica.apply(try await phone.next()) }
            await phone.close()
            let good = try #require(replica.cursor)
            #expect(good.log == welcome.log)
            var cursors: [Cursor] = []
            for change in [
                { (cursor: inout Cursor) in cursor.log = LogID(UUID()) }, { $0.view ^= 1 },
                { $0.event = .random() }, { $0.version = Version(99) },
                { $0.version = Version(2) },
            ] {
                var cursor = good
                change(&cursor)
                cursors.append(cursor)
            }
            for cursor in cursors {
                let (client, _) = try await WireClient.open(server, user: user, device: device, cursor: cursor)
                guard case .snapshotBegin = try await client.next() else {
                    Issue.record("no snapshot for \(cursor)")
                    return
                }
                await client.close()
            }
            let (client, _) = try await WireClient.open(server, user: user, device: device, cursor: good)
            guard case .checkpoint(let cursor, _) = try await client.next() else {
                Issue.record("a current cursor needs nothing but a checkpoint")
                return
            }
            #expect(cursor == good)
            await client.close()
        }
    }

    @Test("S7: collections filter, and an idle filtered cursor still advances")
    func filteredCollections() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let (display, _) = try await WireClient.open(server, user: user, collections: [.badges])
            try await phone.append(from: 1, Envelope.setUp("a"))
            try await phone.append(
                from: 3, [.of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work")))])
            var replica = Replica()
            while replica.cursor?.version != Version(4) { replica.apply(try await display.next()) }
            #expect(replica.rows.keys.allSatisfy { $0.collection == .badges })
            #expect(replica.mismatches == [])
            await phone.close()
            await display.close()
        }
    }

    @Test("A system session sees everything; app(X) never another app's row, in deltas, snapshots or digests")
    func scopes() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            let (mail, _) = try await WireClient.open(server, user: user, scope: .app(AppID("mail")!))
            try await phone.append(
                from: 1,
                Envelope.setUp("mail") + Envelope.setUp("chat") + [
                    .post("m", app: "mail"), .post("c", app: "chat"),
                    .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
                ])
            let (late, _) = try await WireClient.open(server, user: user, scope: .app(AppID("mail")!))
            for client in [mail, late] {
                var replica = Replica()
                while replica.cursor?.version != Version(8) { replica.apply(try await client.next()) }
                #expect(!replica.rows.isEmpty)
                #expect(replica.rows.keys.allSatisfy { $0.app == AppID("mail") })
                while replica.checkpoints == 0 { replica.apply(try await client.next()) }
                #expect(replica.mismatches == [])
                await client.close()
            }
            await phone.close()
        }
    }
}
