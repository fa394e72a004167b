import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@Suite("Apple's APIs") struct AppleExampleTests {
    @Test("Every piece of code in APPLE.md is compiled here, word for word, and there is no other")
    func compiled() throws {
        let page = try String(contentsOf: Checkout.file("Schema/APPLE.md"), encoding: .utf8)
        let example = try String(
            contentsOf: Checkout.file("Tests/FocusSyncClientTests/AppleExample.swift"), encoding: .utf8)
        let pieces = page.components(separatedBy: "```swift\n").dropFirst().compactMap { piece in
            piece.components(separatedBy: "```").first
        }
        #expect(pieces.count > 20)
        let code = try #require(example.range(of: "compares the two.\n\n")?.upperBound)
        #expect(String(example[code...]) == pieces.joined(separator: "\n"))
    }

    @Test("Every event that APPLE.md names is a type of the catalogue, and the pieces append those that they are about")
    func events() async throws {
        let page = try String(contentsOf: Checkout.file("Schema/APPLE.md"), encoding: .utf8)
        let named = Set(page.matches(of: #/`([a-z]\w*\.[a-z]\w*)`/#).map { String($0.1) })
        #expect(named.count >= 20)
        for name in named { #expect(EventType(rawValue: name) != nil, "\(name)") }
        for type in try await appended() { #expect(named.contains(type), "\(type)") }
    }

    /// The types of the events that the pieces append which need no server.
    private func appended() async throws -> Set<String> {
        let directory = try TemporaryDirectory()
        let id = Fixture.log.description
        let claims = Data(#"{"sub":"\#(id)","device":"\#(id)","scope":"system"}"#.utf8).base64EncodedString()
        let client = try makeClient(
            token: "e30.\(claims.replacingOccurrences(of: "=", with: "")).c2ln",
            server: ServerAddress(host: "127.0.0.1", port: 1), directory: directory.path)
        let app = try #require(AppID("com.example.chat"))
        let anna = Person(handle: "anna", displayName: "Anna")
        try await registerApp(client, app: app)
        try await recordAnswers(client, app: app)
        // Unavailable until the server has answered.
        #expect(try await isFocused(client, app: app) == nil)
        try await handleSharedStatus(client, app: app, isFocused: true)
        try await shareStatus(client, app: app, with: [UserID(Fixture.log.uuid)])
        try await donateMessage(client, app: app, to: anna)
        try await donateCall(client, app: app, to: anna)
        try await registerCategories(client, app: app)
        try await postMessage(client, app: app, from: anna)
        try await postTimeSensitive(client, app: app)
        #expect(try await client.notifications.badge(of: app) == 2)
        try await performReply(client, app: app)
        try await tidyUp(client, app: app)
        #expect(try await client.notifications.listed(of: app).isEmpty)
        try await hidePreviewsOnWatches(client, app: app)
        #expect(try await allowsTimeSensitive(client, app: app))
        try await registerDefaults(client, app: app, bundle: try bundle(in: directory))
        #expect(try await chooseColor(client, app: app) == 2)
        try await followDefaultColor(client, app: app)
        try await recordRoutePermissions(client, app: app)
        let start = point(time: Fixture.clock, latitude: 47, longitude: 8, accuracy: 5)
        try await recordRoute(client, app: app, locations: [start])
        try await giveUpRoute(client, app: app)
        let types = Set(try client.store.queued().map(\.envelope.type))
        try await end(client)
        #expect(types.count >= 18)
        return types
    }

    private func bundle(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/Settings.bundle"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let specifier: [String: Any] = [
            "Type": "PSMultiValueSpecifier", "Key": "backgroundColorValue", "DefaultValue": 1,
        ]
        let root = try PropertyListSerialization.data(
            fromPropertyList: ["PreferenceSpecifiers": [specifier]], format: .xml, options: 0)
        try root.write(to: URL(fileURLWithPath: path + "/Root.plist"))
        return path
    }
}
