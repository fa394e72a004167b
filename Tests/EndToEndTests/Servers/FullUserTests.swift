import FocusCore
import Foundation
import Support
import Testing

/// A user whose state takes all the memory that one user may have.
@Suite("Full user", .fewAtATime) struct FullUserTests {
    @Test("Q4: who is full is told so and stays connected, may make room, and keeps nobody else from appending")
    func full() async throws {
        let server = try await FocusdProcess(options: ["--user-limit", "1MiB"])
        func open(_ user: UserID) async throws -> WireClient {
            let client = try await WireClient.connect(port: server.port)
            try await client.hello(token: TestServer.token(user, .random()))
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            return client
        }
        let user = UserID.random()
        let client = try await open(user)
        let body = String(repeating: "b", count: 3_000)
        let posts = (0..<1_000).map { Envelope.post("n\($0)", app: "a", body: body) }
        var next = 0
        var refusal: ProtocolError?
        while refusal == nil, next < posts.count {
            try await client.append(from: Int64(3 + next), Array(posts[next..<min(next + 50, posts.count)]))
            var isAnswered = false
            while !isAnswered, refusal == nil {
                switch try await client.next() {
                case .appended(let appended):
                    isAnswered = appended.throughSequence.rawValue == Int64(2 + min(next + 50, posts.count))
                    if isAnswered { next += 50 }
                case .error(let error): refusal = error
                default: break
                }
            }
        }
        let refused = try #require(refusal, "a thousand posts of 3 kB are taken")
        #expect(refused.code == .quotaExceeded && refused.retryAfterMilliseconds > 0)
        // Between a fifth of the limit in text alone, and all of it.
        let place = try #require(refused.sequence).rawValue
        #expect((Int64(70)...350).contains(place), "\(place)")

        let other = try await open(.random())
        try await other.append(from: 3, [posts[0]])
        #expect(try await other.appended().throughSequence == DeviceSequence(3))

        // What was refused has no place in the log yet, so what makes room takes it.
        let ids = (0..<50).map { "n\($0)" }
        try await client.append(
            from: place, [.of(.notificationRemoved(NotificationIDs(ids: ids)), app: "a"), posts[999]])
        var through = DeviceSequence(place)
        while through < DeviceSequence(place + 1) { through = try await client.appended().throughSequence }
        #expect(through == DeviceSequence(place + 1))
        for client in [client, other] { await client.close() }
        #expect(await server.terminate())
        await server.remove()
    }
}
