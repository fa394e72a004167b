import FocusCore

/// N17: one switch above every app's own.
enum SilenceAllCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("N17", "what is posted while all apps are silenced never rings; an alert of a government does")
        {
            context in
            var stage = try await Stage(context)
            try await stage.say([silence(true), .post("a", app: "a"), government("warning", app: "a")])
            try stage.expect("a", .none, .silenced)
            try expect(stage.alert("warning")?.alert == .now, "a government's alert is kept back")
            try await stage.say([silence(false)])
            try stage.expect("a", .none, .silenced)
            try await stage.say([.post("later", app: "a")])
            try stage.expect("later", .now, .ordinary)
            try await stage.say([.post("a", app: "a")])
            try stage.expect("a", .now, .ordinary)
        },
        ConformanceCase("N17", "what is held while it is off rings at its release only if it is off then") { context in
            for isSilenced in [true, false] {
                var stage = try await Stage(context)
                try await stage.say([
                    .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
                    .of(.focusChanged(FocusChanged(focusID: "work", isActive: true))),
                    .post("held", app: "a"), silence(true),
                ])
                try stage.expect("held", .heldByFocus, .focus)
                if !isSilenced { try await stage.say([silence(false)]) }
                try await stage.say([.of(.focusChanged(FocusChanged(focusID: "work", isActive: false)))])
                if isSilenced {
                    try stage.expect("held", .none, .silenced)
                } else {
                    try stage.expect("held", .now, .ordinary)
                }
            }
        },
        ConformanceCase("N17", "an app is not told of it, and may neither silence nor warn") { context in
            let device = Device.ofNewUser()
            let owner = try await context.open(device)
            try await owner.appendAccepted(Envelope.setUp("a"))
            let app = try await context.open(device.sibling(scope: AppID("a").map(Scope.app) ?? .system))
            let refused = try await app.append([silence(false), government("warning", app: "a")]).refused.map(\.code)
            try expect(refused == ["forbidden", "forbidden"], "an app's attempts are answered \(refused)")
            var replica = Replica()
            try await replica.follow(app.connection, to: app.appendAccepted([.post("one", app: "a")]))
            let (before, received) = (replica.version.rawValue, replica.received.count)
            try await owner.appendAccepted([silence(true)])
            let version = try await app.appendAccepted([.post("two", app: "a")])
            try await replica.follow(app.connection, to: version)
            try expect(version.rawValue == before + 1, "the switch moved the app's version")
            let news = Set(replica.received.dropFirst(received).map(\.collection))
            try expect(news.isSubset(of: [.notifications, .badges]), "the app was sent \(news)")
        },
    ]

    private static func silence(_ isSilenced: Bool) -> Envelope {
        .of(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: isSilenced)))
    }

    private static func government(_ id: String, app: String) -> Envelope {
        let post = NotificationPosted(notificationID: id, title: "t", body: "b")
        return .of(.governmentAlertPosted(GovernmentAlertPosted(post)), app: app)
    }

    /// A user's agent, and what it is told of alerts.
    private struct Stage {
        private let live: Live
        private var replica = Replica()

        init(_ context: CaseContext) async throws {
            live = try await context.open(.ofNewUser())
            try await say(Envelope.setUp("a"))
        }

        /// Appends, and takes up what comes of it.
        mutating func say(_ envelopes: [Envelope]) async throws {
            try await replica.follow(live.connection, to: live.appendAccepted(envelopes))
        }

        func alert(_ id: String) -> AlertDecision? {
            let row = replica.rows[RowKey(.alerts, app: AppID("a"), key: id)]
            return row.flatMap { try? AlertRow(decoding: $0) }?.decision
        }

        func expect(_ id: String, _ alert: Alert, _ reason: AlertReason) throws {
            let decision = self.alert(id)
            guard decision?.alert == alert, decision?.reason == reason else {
                throw CaseFailure("\(id) is \(decision as Any) instead of \(alert), \(reason)")
            }
        }
    }
}
