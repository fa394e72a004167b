import FocusCore

/// P2, P3 and P10: which event a place has, however far back; incarnations that end, and which scope they belong to. A
/// server whose log has an earlier format offers protocol 1 and knows no Recall: there the cases about Recall pass
/// without testing anything.
enum RecallCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("P2", "what was logged 1,000 events ago is answered as the first time, refusals by their texts")
        {
            context in
            let device = Device.ofNewUser()
            let events = Envelope.setUp("a") + (3...1_000).map { .post("n\($0)", app: $0 % 3 == 0 ? "nobody" : "a") }
            let first = try await context.open(device).append(events)
            let again = try await context.open(device)
            try await again.connection.send(
                .append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: events)))
            let second = try await again.connection.appended()
            try expect(second.throughSequence == first.throughSequence, "it is acknowledged otherwise")
            try expect(second.refused == first.refused, "\(second.refused.count) refused, not \(first.refused.count)")
            try expect(second.version == first.version, "the log has grown to \(second.version.rawValue)")
        },
        ConformanceCase("P3", "another event at a place 700 back is a conflict, never acknowledged") { context in
            let device = Device.ofNewUser()
            let events = Envelope.setUp("a") + (3...1_000).map { .post("n\($0)", app: "a") }
            try await context.open(device).appendAccepted(events)
            let restored = try await context.open(device)
            try await restored.connection.send(
                .append(AppendRequest(firstSequence: DeviceSequence(301), envelopes: [.post("new", app: "a")])))
            let error = try await restored.connection.expectError(.sequenceConflict, "for a place 700 back")
            try expect(error.sequence == DeviceSequence(301), "the Error does not name sequence 301")
        },
        ConformanceCase("P10", "Recall tells what the log holds, and the incarnation takes nothing more") { context in
            let device = Device.ofNewUser()
            let events = Envelope.setUp("a") + [.post("x", app: "nobody"), .post("n", app: "a")]
            let live = try await context.open(device)
            try await live.append(events)
            guard live.welcome.protocolVersion >= 2 else { return }
            let other = Envelope.post("other", app: "a")
            let ids = [events[0].id, other.id, events[2].id, events[3].id, other.id]
            try await live.connection.send(
                .recall(Recall(incarnation: device.incarnation, firstSequence: DeviceSequence(1), events: ids)))
            let recalled = try await live.connection.recalled()
            try expect(recalled.outcomes.count == 5, "\(recalled.outcomes.count) of 5 are answered")
            try expect(recalled.outcomes[0] == .accepted && recalled.outcomes[3] == .accepted, "held ones are not")
            try expect(recalled.outcomes[1] == nil && recalled.outcomes[4] == nil, "another event is held there")
            guard case .refused("app_unknown", _)? = recalled.outcomes[2] else {
                throw CaseFailure("a refused event is \(String(describing: recalled.outcomes[2]))")
            }
            try await live.send([other])
            _ = try await live.connection.expectError(.sequenceConflict, "for the next event of what has ended")
            let again = try await context.open(device)
            try expect(again.welcome.isEnded, "Welcome does not say that the incarnation has ended")
            try expect(again.welcome.lastEvent == events[3].id, "Welcome names another last event")
            let next = try await context.open(device.reborn())
            try await next.appendAccepted([other])
        },
        ConformanceCase("P10", "an incarnation is one scope's for ever: another one's session gets nothing of it") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.appendAccepted(Envelope.setUp("a"))
            guard live.welcome.protocolVersion >= 2 else { return }
            var app = device
            app.scope = .app(AppID("a")!)
            let stranger = try await context.connect(as: app)
            try await stranger.send(app.hello(token: try await context.token(app)))
            _ = try await stranger.expectError(.sequenceConflict, "for another scope's incarnation in Hello")
            let owner = device.incarnation
            app.incarnation = .random()
            let own = try await context.open(app)
            let place = Recall(incarnation: owner, firstSequence: DeviceSequence(1), events: [])
            try await own.connection.send(.recall(place))
            _ = try await own.connection.expectError(.sequenceConflict, "for another scope's incarnation in Recall")
            let lost = LostEvents(incarnation: owner, first: DeviceSequence(3), last: DeviceSequence(9))
            try await own.connection.send(.heal(.lost(lost)))
            _ = try await own.connection.expectError(.sequenceConflict, "for another scope's incarnation in Lost")
            try await live.appendAccepted([.post("n", app: "a")])
        },
        ConformanceCase("P10", "a 17th incarnation within a day is too_many, and names a time") { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.appendAccepted(Envelope.setUp("a"))
            guard live.welcome.protocolVersion >= 2 else { return }
            for _ in 1..<16 {
                try await live.connection.send(
                    .recall(Recall(incarnation: .random(), firstSequence: DeviceSequence(1), events: [])))
                _ = try await live.connection.recalled()
            }
            let next = try await context.open(device.reborn())
            try await next.send([.post("n", app: "a")])
            let error = try await next.connection.expectError(.tooMany, "for a 17th incarnation")
            try expect(error.retryAfterMilliseconds > 0, "it names no time")
            try await live.appendAccepted([.post("n", app: "a")])
        },
    ]
}
