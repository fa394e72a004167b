import FocusCore

/// P2, P3, P6 and P9: order, limits, long queues and restored stores.
enum QueueCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("P6", "pipelined appends of a device keep their order, and acknowledgements only go on") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.appendAccepted(Envelope.setUp("a"))
            // One key written 200 times: whatever order the server chose, the last one shows.
            for number in 1...200 {
                try await live.send([
                    .of(.preferenceChanged(PreferenceChanged(key: "k", value: .integer(Int64(number)))), app: "a")
                ])
            }
            var last = DeviceSequence(2)
            var version = Version.zero
            while last < DeviceSequence(202) {
                let appended = try await live.connection.appended()
                try expect(appended.throughSequence > last, "an acknowledgement goes back or stands")
                (last, version) = (appended.throughSequence, appended.version)
            }
            try expect(live.events(version) == 202, "the log has \(live.events(version)) events instead of 202")
            let written = try await preference(context, device, at: version)
            try expect(written == PropertyValue.integer(200), "the last value is not the last one sent")
        },
        ConformanceCase("P9", "appends beyond the limit are not read, and are all acknowledged in the end, in order") {
            context in
            let live = try await context.open(.ofNewUser())
            let limit = Int(live.welcome.maximumUnacknowledgedAppends)
            try expect(limit >= 1, "Welcome.maximum_unacknowledged_appends is \(limit)")
            try await live.appendAccepted(Envelope.setUp("a"))
            let count = min(4_000, limit * 20)
            // The frames are sent without reading any answer: what the server does not read stays in the sockets. It
            // answers a Ping when it has read it, and so everything before it.
            let body = String(repeating: "x", count: bodyBytes)
            for number in 1...count {
                try await live.send([.post("n", app: "a", body: body)])
                if number % 8 == 0 { try await live.connection.send(.ping(UInt64(number))) }
            }
            var last: Int64 = 2
            var ahead: Int64 = 0
            while last < Int64(count + 2) {
                let message = try await live.connection.next()
                if case .pong(let number) = message {
                    ahead = max(ahead, Int64(number) + 2 - last)
                } else if case .appended(let appended) = message {
                    try expect(appended.throughSequence.rawValue > last, "an acknowledgement goes back or stands")
                    last = appended.throughSequence.rawValue
                    try expect(appended.refused.isEmpty, "refused: \(appended.refused.map(\.code))")
                } else if case .error(let error) = message {
                    throw CaseFailure("Error \(error.code.rawValue): \(error.message)")
                }
            }
            // The server may process what one read of the socket brings.
            let most = Int64(limit + readBytes / bodyBytes)
            try expect(
                ahead <= most, "it had read \(ahead) appends without having acknowledged any; the limit is \(limit)")
        },
        ConformanceCase("P2", "a queue of 10,000 events from a month offline is taken, each once, refusals by name") {
            context in
            let device = Device.ofNewUser()
            var events = Envelope.setUp("a")
            let month: Int64 = 30 * 86_400 * 1_000_000
            while events.count < 10_000 {
                let number = events.count
                let time = Timestamp.now.adding(microseconds: Int64(number) * 1_000_000 - month)
                let app = number % 1_000 == 999 ? "nobody" : "a"
                events.append(
                    .of(
                        .preferenceChanged(PreferenceChanged(key: "k\(number % 50)", value: .integer(Int64(number)))),
                        app: app, at: time))
            }
            let live = try await context.open(device)
            var refused = 0
            var version = Version.zero
            for first in stride(from: 0, to: events.count, by: 500) {
                let appended = try await live.append(Array(events[first..<first + 500]))
                refused += appended.refused.count
                version = appended.version
            }
            try expect(refused == 10, "\(refused) refused instead of the 10 of an unknown app")
            let count = live.events(version)
            try expect(count == 10_000, "the log has \(count) events instead of 10,000")
            let again = try await context.open(device)
            try expect(again.welcome.lastSequence == DeviceSequence(10_000), "Welcome does not go on after 10,000")
            // The device acts as if the last batch's acknowledgement had been lost.
            try await again.connection.send(
                .append(AppendRequest(firstSequence: DeviceSequence(9_501), envelopes: Array(events[9_500...]))))
            let repeated = try await again.connection.appended()
            try expect(repeated.version == version, "resending 500 of them stored something")
            var replica = Replica()
            try await replica.follow(again.connection, to: version)
            try expect(replica.keys(of: .preferences).count == 50, "not 50 preferences")
            try await context.expectSame(replica, as: device)
        },
        ConformanceCase("P3", "a device store restored from a backup goes on in a new incarnation; nothing twice") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let (kept, lost) = ([Envelope.post("kept", app: "a")], [Envelope.post("lost", app: "a")])
            try await live.appendAccepted(Envelope.setUp("a") + kept + lost)
            // The backup has three events; the restored device makes another fourth one.
            let restored = try await context.open(device)
            let fresh = Envelope.post("fresh", app: "a")
            try await restored.connection.send(
                .append(AppendRequest(firstSequence: DeviceSequence(4), envelopes: [fresh])))
            _ = try await restored.connection.expectError(.sequenceConflict, "for a restored store")
            let reborn = try await context.open(device.reborn())
            // The restored device cannot know that `kept` arrived, either.
            let appended = try await reborn.append(kept + [fresh])
            try expect(appended.refused.isEmpty, "refused: \(appended.refused.map(\.code))")
            var replica = Replica()
            try await replica.follow(reborn.connection, to: appended.version)
            let listed = replica.keys(of: .notifications)
            try expect(listed == ["fresh", "kept", "lost"], "listed: \(listed)")
            try await context.expectSame(replica, as: device)
        },
    ]

    /// Bytes of an append's text in the P9 case: so many that a limit's worth of appends is more than one read of the
    /// socket brings.
    private static let bodyBytes = 4_000
    /// The most bytes that a server reads from a socket at once.
    private static let readBytes = 512 * 1024

    /// The value of preference `k` of app `a`, as a new device gets it.
    private static func preference(_ context: CaseContext, _ device: Device, at version: Version) async throws
        -> PropertyValue?
    {
        let live = try await context.open(device.sibling(collections: [.preferences]))
        var replica = Replica()
        try await replica.follow(live.connection, to: version)
        let row = replica.rows.first { $0.key.key == "k" }
        return try row.flatMap { try PreferenceRow(decoding: $0.value).value }
    }
}
