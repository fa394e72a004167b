import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import Support
import Testing

/// What a server that keeps to no rule cannot have the client library do.
@Suite("A faulty server", .fewAtATime) struct FaultyServerTests {
    @Test("A list whose next page leads nowhere ends: it is not asked for without end")
    func repeatedPage() async throws {
        let server = try await ScriptedServer.start()
        let token = try TestServer.token(.random(), .random())
        let directory = NSTemporaryDirectory() + "/faulty-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let client = try SyncClient(
            configuration: .patient(port: server.port, token: token), store: DeviceStore(directory: directory))
        let fetching = Task { try await client.route.fetchWorkouts() }
        try await awaiting("a Hello") { server.tokens.count == 1 }
        try await server.say(.welcome(ScriptedServer.welcome()))
        let row = DeltaRow(key: RowKey(.workouts, app: AppID("a"), key: "w"), version: Version(1), value: [])
        var asked: [UInt64] { server.heard.compactMap { if case .fetch(let fetch) = $0 { fetch.id } else { nil } } }
        for page in 1...2 {
            try await awaiting("page \(page) is asked for") { asked.count == page }
            let fetched = Fetched(request: asked[page - 1], version: Version(1), .rows([row], more: true))
            try await server.say(.fetched(fetched))
        }
        let ended = NIOLockedValueBox(false)
        let ending = Task {
            _ = try? await fetching.value
            ended.withLockedValue { $0 = true }
        }
        try await awaiting("it ends, or asks for the page once more") {
            ended.withLockedValue { $0 } || asked.count > 2
        }
        #expect(asked.count == 2)
        await client.close()
        await ending.value
        try await server.stop()
    }
}
