import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@testable import SyncServer

/// A system viewer holds statuses of several apps, which end in other ways than by the end of its connection.
@Suite("Watching again", .fewAtATime) struct WatchAgainTests {
    private let apps = [AppID("com.example.chat")!, AppID("com.example.mail")!]

    @Test("V1, V2: who reconnects and was removed from one app's audience meanwhile is told so at once")
    func reconnected() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let (viewer, device) = (UserID.random(), DeviceID.random())
        let sharer = try await Sharer(server, apps: apps.map(\.rawValue), with: [viewer])
        var configuration = SyncClientConfiguration.patient(
            port: server.port, token: try TestServer.token(viewer, device))
        configuration.maximumAttempts = nil
        let directory = try TestDirectory.make()
        let client = try SyncClient(configuration: configuration, store: DeviceStore(directory: directory))
        var changes = try await client.watch([sharer.user]).makeAsyncIterator()
        #expect(await changes.next() == apps.map { PeerStatus(user: sharer.user, app: $0, isFocused: false) })
        // The old connection is not told, because the server's clock stands still (rule V4).
        let removal = AudienceChanged(remove: [viewer])
        try await sharer.say([.of(.audienceChanged(removal), app: apps[1].rawValue)])
        let clock = ContinuousClock()
        let begin = clock.now
        await client.reconnect()
        #expect(await changes.next() == [PeerStatus(user: sharer.user, app: apps[1], isFocused: nil)])
        // Told by the new connection, not only by the status expiring after a minute.
        #expect(clock.now - begin < .seconds(45))
        await client.close()
        try await server.server.stop()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test(
        "V1, V2: an answer to a system viewer's Watch begins by ending every app's status, also on the same connection")
    func sameConnection() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let viewer = UserID.random()
        let (client, _) = try await WireClient.open(server, user: viewer)
        let sharer = try await Sharer(server, apps: apps.map(\.rawValue), with: [viewer])
        let nothing = PeerStatus(user: sharer.user, app: nil, isFocused: nil)
        let both = apps.map { PeerStatus(user: sharer.user, app: $0, isFocused: false) }
        try await client.send(.watch([sharer.user]))
        #expect(try await client.statuses().statuses == [nothing] + both)
        try await sharer.say([.of(.audienceChanged(AudienceChanged(remove: [viewer])), app: apps[1].rawValue)])
        try await client.send(.watch([sharer.user]))
        #expect(try await client.statuses().statuses == [nothing, both[0]])
        try await sharer.say(sharer.remove(viewer))
        try await client.send(.watch([sharer.user]))
        #expect(try await client.statuses().statuses == [nothing])
        try await server.server.stop()
    }
}
