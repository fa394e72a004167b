import FocusCore

/// P2–P8: one append after the other. The user's version counts the user's events, so it shows that an event is in the
/// log once: each case has a user of its own.
enum AppendCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("P2", "resending after a lost acknowledgement stores nothing and answers as the first time") {
            context in
            let device = Device.ofNewUser()
            let events = Envelope.setUp("a") + [.post("n", app: "a"), .post("x", app: "nobody"), .post("m", app: "a")]
            let live = try await context.open(device)
            let first = try await live.append(events)
            try expect(first.refused.map(\.code) == ["app_unknown"], "the post of an unknown app was not refused")
            try expect(live.events(first.version) == 5, "5 events were sent, the log has \(live.events(first.version))")
            let again = try await context.open(device)
            try expect(again.welcome.lastSequence == DeviceSequence(5), "Welcome does not go on after sequence 5")
            for _ in 0..<3 {
                try await again.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: events)))
                let second = try await again.connection.appended()
                try expect(second.throughSequence == first.throughSequence, "it is acknowledged otherwise")
                try expect(second.refused == first.refused, "the refusals differ: \(second.refused)")
                try expect(second.version == first.version, "the log has grown to \(second.version.rawValue)")
            }
        },
        ConformanceCase(
            "P2", "an event known from an earlier incarnation is not stored twice, and the sequence goes on"
        ) { context in
            let device = Device.ofNewUser()
            let event = Envelope.post("n", app: "a")
            try await context.open(device).appendAccepted(Envelope.setUp("a") + [event])
            let restored = try await context.open(device.reborn())
            try expect(restored.welcome.lastSequence == .zero, "a new incarnation does not begin at 0")
            let appended = try await restored.append([event, .post("m", app: "a")])
            try expect(appended.refused.isEmpty, "refused: \(appended.refused.map(\.code))")
            var replica = Replica()
            try await replica.follow(restored.connection, to: appended.version)
            try expect(replica.keys(of: .notifications) == ["m", "n"], "listed: \(replica.keys(of: .notifications))")
            try await context.expectSame(replica, as: device)
        },
        ConformanceCase("P3", "another event under a sequence that is taken is sequence_conflict, and ends the session")
        { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let version = try await live.appendAccepted(Envelope.setUp("a"))
            try await live.connection.send(
                .append(AppendRequest(firstSequence: DeviceSequence(2), envelopes: [.post("n", app: "a")])))
            let error = try await live.connection.expectError(.sequenceConflict, "for a taken sequence")
            try expect(error.sequence == DeviceSequence(2), "the Error does not name sequence 2")
            _ = try await live.connection.expectGoAway(.sequenceConflict)
            try await live.connection.expectClosed("after GoAway")
            let other = try await context.open(device.sibling())
            let next = try await other.appendAccepted([.post("m", app: "a")])
            try expect(other.events(next, of: 2) == live.events(version) + 1, "the conflicting event was logged")
        },
        ConformanceCase("P4", "a gap stores nothing and names the expected sequence once; then that one is awaited") {
            context in
            let live = try await context.open(.ofNewUser())
            try await live.appendAccepted(Envelope.setUp("a"))
            let events = (3...6).map { Envelope.post("n\($0)", app: "a") }
            func send(_ first: Int64, _ some: [Envelope]) async throws {
                try await live.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(first), envelopes: some)))
            }
            try await send(4, [events[1]])
            try await send(5, [events[2]])
            try await send(6, [events[3]])
            let error = try await live.connection.expectError(.sequenceGap, "for a gap")
            try expect(
                error.expected == DeviceSequence(3), "expected is \(error.expected?.rawValue ?? -1) instead of 3")
            try await send(3, events)
            // A second Error would fail here.
            let appended = try await live.connection.appended()
            try expect(appended.throughSequence == DeviceSequence(6), "not acknowledged through 6")
            let count = live.events(appended.version)
            try expect(count == 6, "the log has \(count) events instead of 6")
        },
        ConformanceCase("P5", "one bad event in a batch does not stop the others; it is refused by name") { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.appendAccepted(Envelope.setUp("a"))
            let late = Envelope.of(
                .badgeCleared, app: "a", at: Timestamp.now.adding(microseconds: 10 * 60 * 1_000_000))
            var huge = Envelope.malformed(app: "a")
            huge.payload = Array(repeating: 0, count: EventLimits.payloadBytes + 1)
            let batch = [
                .malformed(app: "a"), .post("good", app: "a"), late, .of(.badgeCleared, app: "not an app"), huge,
                .post("last", app: "a"),
            ]
            let appended = try await live.append(batch)
            let codes = appended.refused.map(\.code)
            try expect(
                codes == ["payload_malformed", "clock_skew", "field_invalid", "payload_too_large"], "refused: \(codes)")
            try expect(appended.refused.map(\.sequence.rawValue) == [3, 5, 6, 7], "refused by other sequences")
            try expect(
                appended.refused.map(\.event) == [batch[0], batch[2], batch[3], batch[4]].map(\.id),
                "refused by other ids")
            let count = live.events(appended.version)
            try expect(count == 8, "8 events were sent, refused ones too, the log has \(count)")
            var replica = Replica()
            try await replica.follow(live.connection, to: appended.version)
            try expect(replica.keys(of: .notifications) == ["good", "last"], "the good ones are not all there")
            try expect(
                replica.keys(of: .refusals).count == 4, "there are \(replica.keys(of: .refusals).count) refusals")
        },
        ConformanceCase("P5", "a type that the server does not know stops the queue there, and what was before is kept")
        { context in
            let live = try await context.open(.ofNewUser())
            try await live.appendAccepted(Envelope.setUp("a"))
            let future = Envelope(
                id: .version7(), type: "future.thing", app: nil, occurredAt: .now, schemaVersion: 1, payload: [])
            try await live.send([.post("n", app: "a"), future, .post("m", app: "a")])
            let appended = try await live.connection.appended()
            try expect(appended.throughSequence == DeviceSequence(3), "not acknowledged up to the event before")
            let error = try await live.connection.expectError(.eventUnknown, "for a type of the future")
            try expect(error.sequence == DeviceSequence(4), "the Error does not name sequence 4")
            let count = live.events(appended.version)
            try expect(count == 3, "the log has \(count) events instead of 3")
        },
        ConformanceCase("P7", "after Appended, what the device gets next includes everything up to its version") {
            context in
            let live = try await context.open(.ofNewUser())
            try await live.appendAccepted(Envelope.setUp("a"))
            for round in 0..<20 {
                let version = try await live.appendAccepted([.post("n\(round)", app: "a")])
                let cursor = try await live.connection.cursor()
                try expect(
                    cursor.version >= version,
                    "acknowledged at \(version.rawValue), and the next rows end at \(cursor.version.rawValue)")
            }
        },
        ConformanceCase("P8", "of two connections of one device the newer wins; the older one is superseded") {
            context in
            let device = Device.ofNewUser()
            let older = try await context.open(device)
            try await older.appendAccepted(Envelope.setUp("a"))
            let newer = try await context.open(device)
            _ = try await older.connection.expectGoAway(.superseded)
            try await older.connection.expectClosed("after GoAway")
            try expect(newer.welcome.lastSequence == DeviceSequence(2), "Welcome does not go on after sequence 2")
            let version = try await newer.appendAccepted([.post("n", app: "a")])
            try expect(newer.events(version) == 3, "the log has \(newer.events(version)) events instead of 3")
        },
        ConformanceCase("P8", "a Hello that comes late, on the older connection, does not send the newer one away") {
            context in
            let device = Device.ofNewUser()
            let older = try await context.connect(as: device)
            let newer = try await context.open(device)
            try await newer.appendAccepted(Envelope.setUp("a"))
            try await older.send(device.hello(token: try await context.token(device)))
            _ = try await older.expectGoAway(.superseded)
            try await older.expectClosed("after GoAway")
            try await newer.appendAccepted([.post("n", app: "a")])
        },
    ]
}
