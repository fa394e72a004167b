import FocusCore

/// Z1: what an app's sessions are told says nothing of other apps, nor of a Focus that the app may not know of; nor is
/// who watches a user told more than the user shares.
enum SilenceCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("Z1", "what others do moves no version of an app, and brings it no checkpoint") { context in
            let device = Device.ofNewUser()
            let owner = try await context.open(device)
            try await owner.appendAccepted(Envelope.setUp("a"))
            let live = try await context.open(app(of: device))
            var replica = Replica()
            // Its incarnation begins with its first event.
            let first = try await live.appendAccepted([.post("first", app: "a")])
            try await replica.follow(live.connection, to: first)
            let before = (version: replica.version.rawValue, checkpoints: replica.checkpoints)
            try await owner.appendAccepted(hidden)
            // Longer than any checkpoint waits.
            try await Task.sleep(for: .milliseconds(1_500))
            let version = try await live.appendAccepted([.post("own", app: "a")])
            try expect(
                version.rawValue == before.version + 1,
                "its next event moved the version from \(before.version) to \(version.rawValue)")
            try await replica.follow(live.connection, to: version)
            let came = replica.checkpoints - before.checkpoints
            try expect(came == 1, "\(came) checkpoints came for one event")
        },
        ConformanceCase("Z1", "an app is not told what became of alerts, by rows or by digests") { context in
            let device = Device.ofNewUser()
            let owner = try await context.open(device)
            try await owner.appendAccepted(Envelope.setUp("a") + hidden)
            let live = try await context.open(app(of: device))
            var replica = Replica()
            try await replica.follow(live.connection, to: live.appendAccepted([.post("held", app: "a")]))
            try expect(replica.keys(of: .notifications) == ["held"], "its notification is not listed")
            let alerts = replica.rows.keys.filter { [.alerts, .classAlerts].contains($0.collection) }
            try expect(alerts.isEmpty, "the app reads \(alerts.count) decisions about alerts")
            let count = replica.received.count
            try await owner.appendAccepted([
                .of(.focusChanged(FocusChanged(focusID: "work", isActive: false)))
            ])
            try await live.connection.send(.resync([.alerts, .classAlerts]))
            let checkpoints = replica.checkpoints
            try await replica.follow(live.connection, "checkpoint") { $0.checkpoints > checkpoints }
            try expect(replica.received.count == count, "the end of the Focus brought rows")
        },
        ConformanceCase("Z1", "two users of whom an app may see the same give it the same rows, versions and cursors") {
            context in
            var cursors: [Cursor?] = []
            var rows: [[RowKey: [UInt8]]] = []
            let time = Timestamp.now
            for others in [[], hidden] {
                let device = Device.ofNewUser()
                let owner = try await context.open(device)
                try await owner.appendAccepted(Envelope.setUp("a"))
                if !others.isEmpty { try await owner.appendAccepted(others) }
                let live = try await context.open(app(of: device))
                var version = Version.zero
                for number in 1...3 {
                    let post = NotificationPosted(notificationID: "n\(number)", title: "t", body: "b")
                    version = try await live.appendAccepted([
                        .of(.notificationPosted(post), app: "a", at: time.adding(microseconds: Int64(number)))
                    ])
                }
                var replica = Replica()
                try await replica.follow(live.connection, to: version)
                cursors.append(replica.cursor)
                rows.append(replica.rows)
            }
            try expect(rows[0] == rows[1], "the rows differ")
            try expect(
                cursors[0] != nil && cursors[0] == cursors[1],
                "the cursors differ: \(String(describing: cursors[0])), \(String(describing: cursors[1]))")
        },
        ConformanceCase("Z1", "two users who share the same with a viewer are told of as often, whatever else one does")
        { context in
            let viewer = try await WatchingClient(context)
            let (plain, busy) = (
                try await Sharing.begin(context, with: [viewer.user]),
                try await Sharing.begin(context, with: [viewer.user])
            )
            let users = [plain.user, busy.user]
            try await viewer.watch(users)
            try await viewer.listen("the current statuses") { viewer in users.allSatisfy { viewer.knows($0, false) } }
            try await busy.append(unshared)
            // Longer than a change waits to be told.
            try await viewer.listen(seconds: 1)
            for isFocused in [true, false] {
                for sharing in [plain, busy] { try await sharing.focus(isFocused) }
                try await viewer.listen("the changes") { viewer in users.allSatisfy { viewer.knows($0, isFocused) } }
            }
            // What still holds is told again for both together.
            let counts = users.map { viewer.told(of: $0).count }
            try expect(counts[0] == counts[1], "it was told \(counts[0]) times of one and \(counts[1]) of the other")
        },
    ]

    private static func app(of device: Device) -> Device {
        device.sibling(scope: AppID("a").map(Scope.app) ?? .system)
    }

    /// What an app that may not know the Focus does not see: a Focus that is on, a schedule, another app.
    private static var hidden: [Envelope] {
        [
            .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
            .of(.focusChanged(FocusChanged(focusID: "work", isActive: true))),
            .of(.deliveryScheduleChanged(DeliveryScheduleChanged(times: [540], timeZone: "UTC"))),
        ] + Envelope.setUp("other") + (1...5).map { .post("o\($0)", app: "other") }
    }

    /// What nobody in the audience of `Sharing`'s app may know: a Focus that is not shared, silence, another app.
    private static var unshared: [Envelope] {
        [
            .of(.focusConfigured(FocusConfigured(focusID: "own", name: "Own", sharesStatus: false))),
            .of(.focusChanged(FocusChanged(focusID: "own", isActive: true))),
            .of(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true))),
        ] + Envelope.setUp("other") + (1...5).map { .post("o\($0)", app: "other") }
            + [.of(.focusChanged(FocusChanged(focusID: "own", isActive: false)))]
    }
}
