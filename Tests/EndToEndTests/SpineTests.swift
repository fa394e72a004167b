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
}
