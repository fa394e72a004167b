import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@testable import SyncServer

/// What a device shows, with a real server behind it.
@Suite("Device view", .fewAtATime) struct DeviceViewTests {
    @Test("E2: an event shows at once; accepted it stays, refused it is taken back and told")
    func foreseenAndDecided() async throws {
        try await TestServer.with { server in
            let state = try TestDirectory.make()
            defer { try? FileManager.default.removeItem(atPath: state) }
            let token = try TestServer.token(.random(), .random())
            let client = try SyncClient(
                configuration: .patient(port: server.port, token: token),
                store: DeviceStore(directory: state))
            let app = try #require(AppID("com.example.app"))
            var refusals = await client.refusals().makeAsyncIterator()
            var changes = try await client.changes(of: .preferences).makeAsyncIterator()
            #expect(await changes.next() == RowChanges.Element(rows: [], isInitial: true))
            let key = RowKey(.preferences, app: app, key: "size")

            // The app is not registered, so the server will refuse. Appends are held up until the prediction has been
            // seen, because a slow observer is never told of a change that was taken back.
            let database = try await onThread { try HeldDatabase(server.database()) }
            try await onThread { try database.hold() }
            let refused = try await client.preferences(of: app).set(14, for: "size")
            let foreseen = await changes.next()?.rows.first
            #expect(foreseen?.key == key && foreseen?.isPredicted == true)
            try await onThread { try database.release() }
            let outcome = await refusals.next()
            #expect(outcome?.event == refused.envelope.id)
            #expect(outcome?.verdict != .accepted)
            #expect(await changes.next()?.rows == [LocalRow(key: key, value: nil)])
            #expect(try await client.preferences(of: app)["size", default: 12] == 12)

            try await client.append(.appRegistered(AppRegistered(name: "App", build: 1)), app: app)
            try await client.preferences(of: app).set(16, for: "size")
            #expect(try await client.preferences(of: app)["size", default: 12] == 16)
            try await client.waitUntilAnswered()
            #expect(try await client.synchronize() == [])
            let row = try await client.row(key)
            #expect(row == LocalRow(key: key, value: PreferenceRow(value: .integer(16)).encoded))
            await client.close()
        }
    }
}
