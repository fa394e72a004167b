import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rule T1 for users in memory.
@Suite("Time", .fewAtATime) struct TimeTests {
    @Test("T1, F2: a Focus with an end ends by an event of the server, once, at the time it was due")
    func expiry() async throws {
        try await TestServer.with { server in
            let user = UserID.random()
            let (phone, _) = try await WireClient.open(server, user: user)
            // Long enough that it is staged before it ends, also on a loaded machine.
            let endsAt = Timestamp.now.adding(microseconds: 3_000_000)
            try await phone.append(
                from: 1,
                [
                    .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
                    .of(.focusChanged(FocusChanged(focusID: "work", isActive: true, endsAt: endsAt))),
                ])
            #expect(try await phone.appended().refused == [])
            var replica = Replica()
            let active = RowKey(.activeFocus)
            while replica.cursor?.version != Version(4) { replica.apply(try await phone.next()) }
            #expect(replica.rows[active] == nil)
            let database = try server.database()
            let expired = try database.query(TestStatement.expirations)
            #expect(expired.rowCount == 1)
            #expect(try expired.timestamptz(row: 0, column: 0) == endsAt.microseconds)
            database.close()
            await phone.close()
        }
    }
}
