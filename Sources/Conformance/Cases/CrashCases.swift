import FocusCore
import NIOConcurrencyHelpers

/// P1 and P2 when the server or its database is killed: what was acknowledged is in the log, and everything is there
/// once.
enum CrashCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "P1", "killed between commit and acknowledgement, the resent event is there once", needs: [.crashServer]
        ) { context in
            let device = Device.ofNewUser()
            let events = Envelope.setUp("a") + [.post("n", app: "a"), .post("m", app: "a")]
            try await context.open(device).appendAccepted(Array(events.prefix(2)))
            try await context.perform(.crashServer)
            let live = try await context.open(device)
            try await live.send(Array(events.suffix(2)))
            do {
                _ = try await live.connection.appended()
                throw CaseFailure("the server did not die before its acknowledgement: --crash-server does not do that")
            } catch let failure as CaseFailure where failure.description.contains(Silence.closed.description) {}
            try await context.perform(.restartServer)
            let again = try await context.open(device)
            try expect(
                again.welcome.lastSequence == DeviceSequence(4),
                "the log ends at \(again.welcome.lastSequence.rawValue), not 4: --crash-server killed before the commit"
            )
            try await again.connection.send(.append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: events)))
            let appended = try await again.connection.appended()
            try expect(appended.refused.isEmpty, "refused: \(appended.refused.map(\.code))")
            let count = again.events(appended.version)
            try expect(count == 4, "the log has \(count) events instead of 4")
        },
        ConformanceCase(
            "P1", "killed the moment after an acknowledgement, the event is there", needs: [.restartServer]
        ) { context in
            let device = Device.ofNewUser()
            var count: Int64 = 2
            try await context.open(device).appendAccepted(Envelope.setUp("a"))
            for round in 0..<3 {
                let live = try await context.open(device)
                try expect(live.welcome.lastSequence == DeviceSequence(count), "an acknowledged event is gone")
                let version = try await live.appendAccepted((0..<20).map { .post("\(round)-\($0)", app: "a") })
                try await context.perform(.restartServer)
                count += 20
                let logged = live.events(version)
                try expect(logged == count, "the log has \(logged) events instead of \(count)")
            }
            try expect(
                try await context.open(device).welcome.lastSequence == DeviceSequence(count),
                "an acknowledged event is gone")
        },
        ConformanceCase(
            "P2", "killed in the middle of a batch, again and again: each event once", needs: [.restartServer]
        ) { context in
            let device = Device.ofNewUser()
            try await context.open(device).appendAccepted(Envelope.setUp("a"))
            var events: [Envelope] = []
            for round in 0..<4 {
                let batch = (0..<1_000).map { Envelope.post("n\($0 % 50)", app: "a", body: "\(round)") }
                events += batch
                let live = try await context.open(device)
                let first = Int64(events.count - 1_000 + 3)
                try await live.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(first), envelopes: batch)))
                // So the kill falls somewhere into decoding, validating, writing or answering.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                try await context.perform(.restartServer)
                let again = try await context.open(device)
                let last = again.welcome.lastSequence.rawValue
                try expect(
                    last >= first - 1 && last <= first + 999, "sequence \(last) in the log, of a batch from \(first)")
                try await again.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(first), envelopes: batch)))
                var through = Appended(throughSequence: .zero, version: .zero, refused: [])
                while through.throughSequence.rawValue < first + 999 { through = try await again.connection.appended() }
                let logged = again.events(through.version)
                try expect(
                    logged == Int64(events.count + 2), "the log has \(logged) events instead of \(events.count + 2)")
            }
        },
        ConformanceCase(
            "P2", "killed three times while four devices append: everything once, all devices equal",
            needs: [.restartServer]
        ) { context in
            try await survive(context) { try await context.perform(.restartServer) }
        },
        ConformanceCase(
            "P2", "PostgreSQL restarted three times while four devices append: everything once, all devices equal",
            needs: [.restartDatabase]
        ) { context in
            try await survive(context) { try await context.perform(.restartDatabase) }
        },
    ]

    /// Four devices of two users append 1,000 events each, while `hurt` is called three times.
    private static func survive(_ context: CaseContext, _ hurt: () async throws -> Void) async throws {
        let users = [Device.ofNewUser(), Device.ofNewUser()]
        let devices = users + users.map { $0.sibling(deviceClass: $0.deviceClass) }
        let delivered = NIOLockedValueBox([Int](repeating: 0, count: devices.count))
        let count = 1_000
        let versions = try await withThrowingTaskGroup(of: (Int, Version).self) { group in
            for (index, device) in devices.enumerated() {
                let app = "app\(index)"
                let events = Envelope.setUp(app) + (2..<count).map { .post("n\($0 % 100)", app: app, body: "\($0)") }
                group.addTask {
                    // Also when the resendingClient fails, so that nobody waits for its events.
                    defer { delivered.withLockedValue { $0[index] = count } }
                    let resendingClient = ResendingClient(context, device, events) { through in
                        delivered.withLockedValue { $0[index] = through }
                    }
                    return (index, try await resendingClient.deliver())
                }
            }
            for quarter in 1...3 {
                while delivered.withLockedValue({ $0.reduce(0, +) }) < count * quarter {
                    try await Task.sleep(for: .milliseconds(5))
                }
                try await hurt()
            }
            return try await group.reduce(into: [Int: Version]()) { $0[$1.0] = $1.1 }
        }
        for (index, user) in users.enumerated() {
            let version = max(versions[index] ?? .zero, versions[index + 2] ?? .zero)
            let live = try await context.open(user)
            let logged = live.events(version, of: 2)
            try expect(logged == Int64(2 * count), "the log has \(logged) events instead of \(2 * count)")
            var replica = Replica()
            try await replica.follow(live.connection, to: version)
            try await context.expectSame(replica, as: user)
        }
    }
}
