import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// How long a sync takes. The server's clock stands still here, so what comes waits for nothing.
@Suite("Prompt checkpoints", .fewAtATime) struct PromptCheckpointTests {
    @Test("S9: a device gets its digests at once: with its first snapshot, with a delta, and when nothing is new")
    func atOnce() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let (user, device) = (UserID.random(), DeviceID.random())
        let (owner, _) = try await WireClient.open(server, user: user)
        try await owner.append(from: 1, Envelope.setUp("a") + [.post("n1", app: "a")])
        _ = try await owner.appended()
        var cursor: Cursor?
        for (posts, hasNews) in [(1, false), (2, true), (2, false)] {
            if hasNews {
                try await owner.append(from: 4, [.post("n2", app: "a")])
                _ = try await owner.appended()
            }
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: TestServer.token(user, device), cursor: cursor)
            let digests: [CollectionDigest]
            (cursor, digests) = try await client.first(within: 60) { message in
                if case .checkpoint(let cursor, let digests) = message { (cursor, digests) } else { nil }
            }
            #expect(digests.first { $0.collection == .notifications }?.count == UInt64(posts))
            await client.close()
        }
        try await server.server.stop()
    }
}
