import FocusCore
import NIOConcurrencyHelpers

/// S8: the read model is built anew while devices use it.
enum RebuildCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "S8", "rebuilt while devices are connected and append: sessions stay, and only differences travel",
            needs: [.rebuild]
        ) { context in
            let phone = Device.ofNewUser()
            let writer = try await context.open(phone)
            let old = (0..<40).map { "old\($0)" }
            var version = try await writer.appendAccepted(Envelope.setUp("a") + old.map { .post($0, app: "a") })
            let reader = try await context.open(phone.sibling())
            var replica = Replica()
            try await replica.follow(reader.connection, to: version)
            let tablet = phone.sibling()
            var away = Replica()
            let brief = try await context.open(tablet)
            try await away.follow(brief.connection, to: version)
            await brief.connection.close()
            let (here, there) = (replica.received.count, away.received.count)

            let isRebuilt = NIOLockedValueBox(false)
            async let rebuilt: Void = rebuild(context, isRebuilt)
            var number = 0
            repeat {
                version = try await writer.appendAccepted([.post("during\(number % 20)", app: "a", body: "\(number)")])
                number += 1
                try await Task.sleep(for: .milliseconds(20))
            } while !isRebuilt.withLockedValue { $0 }
            try await rebuilt
            version = try await writer.appendAccepted([.post("after", app: "a")])

            try await replica.follow(reader.connection, to: version)
            let again = try await context.open(tablet, cursor: away.cursor)
            try await away.follow(again.connection, to: version)
            for (device, from) in [(replica, here), (away, there)] {
                try expect(device.snapshots == 1, "a snapshot because of the rebuild")
                let unchanged = device.received[from...].filter { old.contains($0.key) }
                try expect(unchanged.isEmpty, "\(unchanged.count) rows travelled that are as they were")
            }
            let difference = away.difference(from: replica)
            try expect(difference.isEmpty, "the device that was away differs: \(difference)")
            try await context.expectSame(replica, as: tablet)
        }
    ]

    private static func rebuild(_ context: CaseContext, _ isRebuilt: NIOLockedValueBox<Bool>) async throws {
        defer { isRebuilt.withLockedValue { $0 = true } }
        try await context.perform(.rebuild)
    }
}
