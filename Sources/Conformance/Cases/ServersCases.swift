import FocusCore

/// S1 and P8 with two servers on one log: a device may connect to either of them.
enum ServersCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("S1", "what one server acknowledges, devices at the other get", needs: [.secondServer]) {
            context in
            let phone = Device.ofNewUser()
            let here = try await context.open(phone)
            let tablet = phone.sibling()
            let there = try await context.open(tablet, toSecond: true)
            var (near, far) = (Replica(), Replica())
            var version = try await here.appendAccepted(Envelope.setUp("a"))
            for round in 0..<10 {
                version = try await here.appendAccepted([.post("here\(round)", app: "a")])
                version = try await there.appendAccepted([.post("there\(round)", app: "a")])
            }
            try await near.follow(here.connection, to: version)
            try await far.follow(there.connection, to: version)
            let difference = near.difference(from: far)
            try expect(difference.isEmpty, "they differ: \(difference)")
            try expect(near.keys(of: .notifications).count == 20, "not all 20 notifications are there")
            // The device moves to the other server, with its cursor.
            let moved = try await context.open(tablet, cursor: far.cursor)
            let first = try await moved.connection.nextNews()
            try expect(!first.isSnapshotBegin, "a cursor of one server gets a snapshot at the other")
        },
        ConformanceCase(
            "P8", "one device on two servers at once: each event once, whatever arrives where", needs: [.secondServer]
        ) { context in
            let device = Device.ofNewUser()
            let here = try await context.open(device)
            let setUp = Envelope.setUp("a")
            try await here.appendAccepted(setUp)
            let there = try await context.open(device, toSecond: true)
            try expect(there.welcome.lastSequence == DeviceSequence(2), "the other server knows another last sequence")
            let events = (3...202).map { Envelope.post("n\($0)", app: "a") }
            for (index, event) in events.enumerated() {
                let append = ClientMessage.append(
                    AppendRequest(firstSequence: DeviceSequence(Int64(index + 3)), envelopes: [event]))
                // One of the connections may have been superseded already; the other one goes on.
                try? await here.connection.send(append)
                try? await there.connection.send(append)
            }
            // Both connections may have ended with events unread: the resendingClient does what a client would do then.
            _ = try await ResendingClient(context, device, setUp + events).deliver()
            let observer = try await context.open(device.sibling(), toSecond: true)
            var replica = Replica()
            try await replica.follow(observer.connection, to: observer.version(of: 202))
            let count = observer.events(replica.version)
            try expect(count == 202, "the log has \(count) events instead of 202")
        },
        ConformanceCase(
            "P8", "the server that sees a device's events come from another one sends its own connection away",
            needs: [.secondServer]
        ) { context in
            let device = Device.ofNewUser()
            let older = try await context.open(device)
            try await older.appendAccepted(Envelope.setUp("a"))
            // A server allows for events that are committed up to 2 s after a connection began: they may come from the
            // connection before.
            try await Task.sleep(for: .seconds(4))
            let newer = try await context.open(device, toSecond: true)
            try await newer.appendAccepted([.post("n", app: "a")])
            _ = try await older.connection.expectGoAway(.superseded)
            try await older.connection.expectClosed("after GoAway")
            try await newer.appendAccepted([.post("m", app: "a")])
        },
        ConformanceCase(
            "S1", "without notifications of PostgreSQL, the other server is still current within its poll interval",
            // The poll is every 250 ms; the rest is for a loaded machine.
            needs: [.secondServer, .stopNotifications, .startNotifications], limit: 15,
            measured: { context in
                try await context.perform(.stopNotifications)
                let outcome: Result<Double, any Error>
                do { outcome = .success(try await slowest(context)) } catch { outcome = .failure(error) }
                try await context.perform(.startNotifications)
                return try outcome.get()
            }),
    ]

    /// The longest time, in seconds, from an append at one server until a device at the other has it. The command may
    /// have restarted servers: nothing from before is used.
    private static func slowest(_ context: CaseContext) async throws -> Double {
        let phone = Device.ofNewUser()
        let here = try await context.open(phone)
        let there = try await context.open(phone.sibling(collections: [.badges]), toSecond: true)
        try await here.appendAccepted(Envelope.setUp("a"))
        let clock = ContinuousClock()
        var slowest = 0.0
        for round in 0..<10 {
            let begin = clock.now
            let version = try await here.appendAccepted([.post("n\(round)", app: "a")])
            while try await there.connection.cursor().version < version {}
            slowest = max(slowest, (clock.now - begin).inSeconds)
        }
        return slowest
    }
}
