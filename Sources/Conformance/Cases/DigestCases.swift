import FocusCore

/// S9: digests, and what a device does when it finds a difference.
enum DigestCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("S9", "a checkpoint follows each delta within seconds; its digests are those of the rows sent")
        { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            var version = try await live.appendAccepted(Envelope.setUp("a"))
            var replica = Replica()
            for round in 0..<3 {
                version = try await live.appendAccepted([.post("n\(round)", app: "a")])
                // Compares every digest, and fails at one that differs or is missing.
                try await replica.follow(live.connection, to: version)
            }
        },
        ConformanceCase("S9", "Resync sends just the collections that differ, and the device is right again") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let version = try await live.appendAccepted(
                Envelope.setUp("a") + (1...30).map { .post("n\($0)", app: "a") })
            var replica = Replica()
            try await replica.follow(live.connection, to: version)
            let right = replica
            replica.spoil(RowKey(.badges, app: AppID("a")))
            replica.spoil(RowKey(.badges, app: AppID("nobody")))
            try await live.connection.send(.resync([.badges]))
            let before = replica.received.count
            try await replica.follow(live.connection, "checkpoint after Resync") {
                $0.snapshots == 2 && $0.isConfirmed
            }
            let travelled = Set(replica.received[before...].map(\.collection))
            try expect(travelled == [.badges], "rows of \(travelled.map(\.rawValue)) came instead of badges")
            try expect(replica.rows == right.rows, "it still differs: \(replica.difference(from: right))")
            // Changes come live afterwards.
            let later = try await context.open(device.sibling()).appendAccepted([.post("n31", app: "a")])
            try await replica.follow(live.connection, to: later)
        },
        ConformanceCase("S9", "Resync of nothing is a whole snapshot; of what the device may not see, a checkpoint") {
            context in
            let device = Device.ofNewUser()
            try await context.open(device).appendAccepted(Envelope.setUp("a"))
            let app = device.sibling(scope: .app(AppID("a")!))
            let live = try await context.open(app)
            var replica = Replica()
            try await replica.follow(live.connection, "checkpoint behind its registration") {
                !$0.keys(of: .apps).isEmpty && $0.isConfirmed
            }
            try await live.connection.send(.resync([]))
            try await replica.follow(live.connection, "snapshot") { $0.snapshots == 2 && $0.isConfirmed }
            // Focuses are the user's alone.
            try await live.connection.send(.resync([.focuses]))
            let before = (replica.received.count, replica.checkpoints, replica.snapshots)
            try await replica.follow(live.connection, "checkpoint") {
                $0.checkpoints > before.1 || $0.snapshots > before.2
            }
            try expect(
                replica.received[before.0...].allSatisfy { $0.app == AppID("a") }, "it was sent rows of others")
        },
    ]
}
