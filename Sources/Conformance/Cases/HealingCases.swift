import FocusCore

/// S6: receipts, and what devices give back.
enum HealingCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("S6", "what is logged is answered with receipts; sent again, with the same ones") { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let batches = try await acknowledged(live)
            for batch in batches {
                try expect(batch.isCovered, "the receipts of \(batch.first)… do not cover it: \(batch.receipts)")
                try await live.connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(batch.first), envelopes: batch.envelopes)))
                let again = try await live.connection.appended()
                try expect(again.receipts == batch.receipts, "another receipt for the same events")
            }
        },
        ConformanceCase("S6", "a re-offer of what the log has stores nothing, with its receipt or with a forged one") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let batches = try await acknowledged(live)
            for code in [batches[1].code, forged, []] {
                try await live.connection.send(batches[1].request(device) { $0.code = code })
                let answer = try await live.connection.appended()
                try expect(
                    answer.refused == batches[1].refused, "answered otherwise than at first: \(answer.refused)")
            }
            let version = try await live.appendAccepted([.post("next", app: "a")])
            try expect(live.events(version) == 9, "the log has \(live.events(version)) events instead of 9")
        },
        ConformanceCase("S6", "under a forged receipt events are judged as if they came for the first time") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            try await live.appendAccepted(Envelope.setUp("a"))
            let earlier = Batch(
                first: 1, envelopes: [.post("new", app: "a"), .post("x", app: "nobody")], receipts: [], refused: [])
            try await live.connection.send(earlier.request(device.reborn()) { $0.code = forged })
            let answer = try await live.connection.appended()
            let codes = answer.refused.map(\.code)
            try expect(codes == ["app_unknown"], "refused: \(codes) instead of app_unknown")
            var replica = Replica()
            try await replica.follow(live.connection, to: answer.version)
            try expect(
                try replica.alert("new") == AlertDecision(.now, .ordinary), "it does not ring as a new post does")
        },
        ConformanceCase("S6", "Lost is logged once, and events after it are taken; without it there is a gap") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            var version = try await live.appendAccepted(Envelope.setUp("a"))
            let store = device.reborn()
            let batch = Batch(first: 4, envelopes: [.post("four", app: "a")], receipts: [], refused: [])
            try await live.connection.send(batch.request(store))
            let gap = try await live.connection.expectError(.sequenceGap, "for what begins at sequence 4")
            try expect(gap.expected == DeviceSequence(1), "it expects \(String(describing: gap.expected)) instead of 1")
            version = Version(version.rawValue + live.beginnings + 1)
            for _ in 0..<2 {
                try await live.connection.send(lost(store, 1, 3))
                let answer = try await live.connection.appended()
                try expect(
                    answer.throughSequence == DeviceSequence(3) && answer.incarnation == store.incarnation
                        && answer.version == version, "Lost is answered \(answer)")
            }
            try await live.connection.send(batch.request(store))
            let answer = try await live.connection.appended()
            try expect(answer.version == version.next, "the log has \(answer.version.rawValue) events")
            try await live.connection.send(lost(store, 9, 8))
            _ = try await live.connection.expectError(.malformedFrame, "for Lost from 9 to 8")
        },
        ConformanceCase(
            "S6",
            "a log that lost its tail says so, and gets it back from a device: each event once, nothing rings anew",
            needs: [.restoreDatabase]
        ) { context in try await restored(context) },
    ]

    private static let forged = [UInt8](repeating: 0xA5, count: 32)

    private static func lost(_ device: Device, _ first: Int64, _ last: Int64) -> ClientMessage {
        .heal(
            .lost(
                LostEvents(
                    incarnation: device.incarnation, first: DeviceSequence(first), last: DeviceSequence(last))))
    }

    /// The events that a device had acknowledged in one frame.
    private struct Batch {
        let first: Int64
        let envelopes: [Envelope]
        let receipts: [Receipt]
        let refused: [RefusedEvent]

        var code: [UInt8] { receipts.first?.code ?? [] }

        /// Whether one receipt covers all of it.
        var isCovered: Bool {
            receipts.count == 1 && receipts[0].first == DeviceSequence(first) && !code.isEmpty
                && receipts[0].through == DeviceSequence(first + Int64(envelopes.count) - 1)
        }

        func request(_ device: Device, _ change: (inout Reoffer) -> Void = { _ in }) -> ClientMessage {
            let refusals = Dictionary(uniqueKeysWithValues: refused.map { ($0.event, $0) })
            var offer = Reoffer(
                incarnation: device.incarnation, firstSequence: DeviceSequence(first),
                events: envelopes.map { envelope in
                    let refusal = refusals[envelope.id]
                    return Reoffer.Offered(
                        envelope: envelope,
                        outcome: refusal.map { .refused(code: $0.code, message: $0.message) } ?? .accepted)
                }, code: code)
            change(&offer)
            return .heal(.reoffer(offer))
        }
    }

    /// Appends four frames of two events each: the app "a" is set up; a post, and one that is refused; two posts; two
    /// posts.
    private static func acknowledged(_ live: Live) async throws -> [Batch] {
        var batches: [Batch] = []
        for envelopes in [
            Envelope.setUp("a"), [.post("one", app: "a"), .post("x", app: "nobody")],
            [.post("two", app: "a"), .post("three", app: "a")], [.post("four", app: "a"), .post("five", app: "a")],
        ] {
            let first = live.sequence + 1
            let appended = try await live.append(envelopes)
            batches.append(
                Batch(first: first, envelopes: envelopes, receipts: appended.receipts, refused: appended.refused))
        }
        try expect(batches[1].refused.map(\.code) == ["app_unknown"], "a post of an unknown app is not refused")
        return batches
    }

    private static func restored(_ context: CaseContext) async throws {
        let device = Device.ofNewUser()
        var live = try await context.open(device)
        let batches = try await acknowledged(live)
        var replica = Replica()
        try await replica.follow(live.connection, to: live.version(of: 8))
        let (thief, victim) = (Device.ofNewUser(), Device.ofNewUser())
        let theirs = try await acknowledged(try await context.open(thief))
        let others = try await acknowledged(try await context.open(victim))
        try await context.perform(.restoreDatabase)

        live = try await context.open(device, cursor: replica.cursor)
        try expect(
            live.welcome.lastSequence == .zero && live.welcome.logIsBehind,
            "Welcome does not tell that the log lost its tail: --restore-database did not set it back, or S6 fails"
        )
        for batch in [batches[0], batches[1]] {
            try await live.connection.send(batch.request(device))
            let answer = try await live.connection.appended()
            try expect(answer.refused == batch.refused, "judged otherwise than at first: \(answer.refused)")
        }
        // The device does not hold the third frame any more, either.
        try await live.connection.send(batches[3].request(device))
        let gap = try await live.connection.expectError(.sequenceGap, "for what follows lost events")
        try expect(gap.expected == DeviceSequence(5), "it expects \(String(describing: gap.expected)) instead of 5")
        try await live.connection.send(lost(device, 5, 6))
        _ = try await live.connection.appended()
        for _ in 0..<2 {
            try await live.connection.send(batches[3].request(device))
            _ = try await live.connection.appended()
        }
        // Six events: the four accepted ones and the refusal that came back, and the loss of two. The queue goes on
        // behind them.
        let next = AppendRequest(firstSequence: DeviceSequence(9), envelopes: [.post("six", app: "a")])
        try await live.connection.send(.append(next))
        let version = try await live.connection.appended().version
        try expect(live.events(version) == 8, "the log has \(live.events(version)) events instead of 8")
        var healed = Replica()
        try await healed.follow(live.connection, to: version)
        try expect(
            healed.keys(of: .notifications) == ["five", "four", "one", "six"],
            "the device holds \(healed.keys(of: .notifications))")
        for id in ["one", "four", "five"] {
            try expect(try healed.alert(id) == AlertDecision(.none, .healed), "\(id), which rang once, rings again")
        }
        try expect(try healed.alert("six") == AlertDecision(.now, .ordinary), "a new post does not ring")
        try await context.expectSame(healed, as: device)
        try await withoutApp(context, thief, theirs[2], isProved: false)
        try await withoutApp(context, victim, others[2], isProved: true)
    }

    /// Gives a frame of posts back, but not the app's registration: only a receipt can prove that the posts were
    /// accepted once.
    private static func withoutApp(_ context: CaseContext, _ device: Device, _ batch: Batch, isProved: Bool)
        async throws
    {
        let live = try await context.open(device)
        try await live.connection.send(lost(device, 1, batch.first - 1))
        _ = try await live.connection.appended()
        try await live.connection.send(batch.request(device) { if !isProved { $0.code[0] ^= 1 } })
        let codes = try await live.connection.appended().refused.map(\.code)
        try expect(
            codes == (isProved ? [] : ["app_unknown", "app_unknown"]),
            isProved ? "judged again in spite of its receipt: \(codes)" : "taken under a forged receipt: \(codes)")
    }
}

extension Replica {
    /// How a notification of the app "a" came out.
    fileprivate func alert(_ id: String) throws -> AlertDecision? {
        try rows[RowKey(.alerts, app: AppID("a"), key: id)].map { try AlertRow(decoding: $0).decision }
    }
}
