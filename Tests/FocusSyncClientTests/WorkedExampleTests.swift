import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@Suite("Worked example")
struct WorkedExampleTests {
    @Test("Every piece of code in the article FirstDevice is compiled here, word for word")
    func compiled() throws {
        let example = try String(
            contentsOf: Checkout.file("Tests/FocusSyncClientTests/WorkedExample.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: Checkout.file("Sources/FocusSyncClient/FocusSyncClient.docc/FirstDevice.md"), encoding: .utf8)
        let pieces = article.components(separatedBy: "```swift\n").dropFirst().map { piece in
            piece.components(separatedBy: "```")[0]
        }
        #expect(pieces.count == 8)
        for piece in pieces { #expect(example.contains(piece), "not in WorkedExample.swift:\n\(piece)") }
    }

    @Test("The example runs without a server: everything is durable and shown at once")
    func offline() async throws {
        let directory = try TemporaryDirectory()
        let id = Fixture.log.description
        let claims = Data(#"{"sub":"\#(id)","device":"\#(id)","scope":"system"}"#.utf8).base64EncodedString()
        let client = try makeClient(
            token: "e30.\(claims.replacingOccurrences(of: "=", with: "")).c2ln",
            server: ServerAddress(host: "127.0.0.1", port: 1), directory: directory.path)
        let app = try #require(AppID("com.example.app"))
        try await client.append(.appRegistered(AppRegistered(name: "App", build: 1)), app: app)
        try await goToWork(client, app: app)
        #expect(try await summary(client, app: app) == "work, 0 unread, 14 pt")
        let point = RoutePoint(time: Fixture.clock, latitude: 1, longitude: 2)
        try await record(client, app: app, points: [point])
        #expect(try client.store.queued().count == 8)
        try await end(client)
    }
}
