import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

@Suite("Hidden previews over TCP", .fewAtATime) struct HiddenPreviewTests {
    private let user = UserID.random()
    private let app = "com.example.chat"

    private func previews(_ previews: PreviewsChoice) -> Envelope {
        .of(
            .notificationSettingsChanged(NotificationSettingsChanged(deviceClass: .watch, previews: previews)),
            app: app)
    }

    /// The titles on a device once it has everything up to `version`, and a checkpoint of that.
    private func titles(
        _ replica: inout Replica, _ client: WireClient, through version: Version
    ) async throws -> [String: String] {
        let before = replica.checkpoints
        while replica.cursor.map({ $0.version < version }) ?? true || replica.checkpoints == before {
            replica.apply(try await client.next())
        }
        #expect(replica.mismatches == [])
        var titles: [String: String] = [:]
        for (key, value) in replica.rows where key.collection == .notifications {
            titles[key.key] = try NotificationRow(decoding: value).title
        }
        return titles
    }

    @Test("N13, S9: a class whose previews are set to never gets the hidden form alone, and its digests agree")
    func hidden() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user, isClassProven: true)
            try await phone.append(from: 1, Envelope.setUp(app) + [.post("n1", app: app), previews(.never)])
            _ = try await phone.appended()
            let (watch, _) = try await WireClient.open(
                server, user: user, deviceClass: .watch, isClassProven: true)
            let (own, _) = try await WireClient.open(
                server, user: user, scope: .app(AppID(app)!), deviceClass: .watch, isClassProven: true)
            var replicas = [Replica(), Replica(), Replica()]
            let clients = [phone, watch, own]
            let hidden = NotificationRow.hiddenTitle
            func expect(_ expected: [[String: String]], at version: Int64) async throws {
                for index in clients.indices {
                    let titles = try await titles(&replicas[index], clients[index], through: Version(version))
                    #expect(titles == expected[index], "client \(index), version \(version)")
                }
            }
            try await expect([["n1": "t"], ["n1": hidden], ["n1": "t"]], at: 4)
            try await phone.append(from: 5, [.post("n2", app: app)])
            let both = ["n1": "t", "n2": "t"]
            try await expect([both, ["n1": hidden, "n2": hidden], both], at: 5)
            try await phone.append(from: 6, [previews(.follow)])
            try await expect([both, both, both], at: 6)
            // The rows were sent again without another snapshot. The phone's snapshot arrived while it waited for its
            // Appended, unless the server could not confirm its heads within a second just then.
            #expect(replicas.map(\.snapshots).dropFirst() == [1, 1] && replicas[0].snapshots <= 1)
            for client in clients { await client.close() }
        }
    }

    @Test("N13: a device whose token names no class gets the hidden form, whichever class it says it is")
    func claimedClass() async throws {
        try await TestServer.with { server in
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp(app) + [.post("n1", app: app), previews(.never)])
            _ = try await phone.appended()
            let (claims, _) = try await WireClient.open(server, user: user, deviceClass: .tablet)
            var replica = Replica()
            let titles = try await titles(&replica, claims, through: Version(4))
            #expect(titles == ["n1": NotificationRow.hiddenTitle])
            for client in [phone, claims] { await client.close() }
        }
    }
}
