import FocusCore
import Foundation

/// A1, A2, A4: tokens and what they allow.
enum IdentityCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("A1", "bad, expired, forged and unsigned tokens all get the same answer, closed") { context in
            let device = Device.ofNewUser()
            let good = try await context.token(device)
            let parts = good.split(separator: ".").map(String.init)
            let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().filter { $0 != "=" }
            var server = device
            server.id = .server
            let tokens = [
                "", "x", "a.b.c", good + "x", "\(none).\(parts[1]).", "\(parts[0]).\(parts[1]).",
                try await context.token(device, seconds: -1), try await context.token(device, seconds: 401 * 86_400),
                try await context.token(server),
                try await context.token(device, isForged: true),
            ]
            var answers: Set<ProtocolError> = []
            for token in tokens {
                let connection = try await context.connect()
                try await connection.send(device.hello(token: token))
                answers.insert(try await connection.expectError(.unauthenticated, "for token \(token.prefix(9))…"))
                try await connection.expectClosed("after unauthenticated")
            }
            try expect(answers.count == 1, "the answers tell what was wrong: \(answers.map(\.message))")
            _ = try await context.open(device)
        },
        ConformanceCase("A2", "Renew keeps the session; a token of somebody else, or a bad one, changes nothing") {
            context in
            let device = Device.ofNewUser()
            let live = try await context.open(device, tokenSeconds: 600)
            let connection = live.connection
            for bad in [
                "x", try await context.token(device.sibling()), try await context.token(.ofNewUser()),
                try await context.token(device.sibling(scope: .app(AppID("a")!))),
                try await context.token(device, isForged: true), try await context.token(device, seconds: -1),
            ] {
                try await connection.send(.renew(token: bad))
                _ = try await connection.expectError(.unauthenticated, "for a Renew with a token that is not its own")
            }
            try await connection.send(.renew(token: try await context.token(device, seconds: 5_000)))
            // The first token ends so late that the server has not announced its end.
            let left = try await connection.first("TokenExpiry") { message in
                if case .tokenExpiry(let end, let now) = message { end.microseconds - now.microseconds } else { nil }
            }
            try expect(left > 4_000_000_000, "the new end is not that of the new token")
            try await live.appendAccepted(Envelope.setUp("a"))
        },
        ConformanceCase("A2", "a token's end is announced 60 s before, so that it can be renewed in time", isLong: true)
        {
            context in
            let live = try await context.open(.ofNewUser(), tokenSeconds: 75)
            let left = try await live.connection.first("TokenExpiry before the token's end", within: 80) { message in
                if case .tokenExpiry(let end, let now) = message { end.microseconds - now.microseconds } else { nil }
            }
            // A loaded machine may be late; it must not be early.
            try expect(left > 10_000_000 && left <= 61_000_000, "announced \(left / 1_000_000) s before the end")
        },
        ConformanceCase(
            "A2", "after its token's end a session is sent away, and nothing is lost or logged twice", isLong: true
        ) { context in
            let device = Device.ofNewUser()
            // Long enough for a loaded machine to log two events before the token ends.
            let live = try await context.open(device, tokenSeconds: 30)
            let events = Envelope.setUp("a") + [.post("n", app: "a")]
            try await live.send(Array(events.prefix(2)))
            let goAway = try await live.connection.expectGoAway(.tokenExpired, within: 30 + context.patience)
            try expect(
                goAway.minimumBackoffMilliseconds <= goAway.maximumBackoffMilliseconds, "the back-off bounds are turned"
            )
            try await live.connection.expectClosed("after GoAway")
            let again = try await context.open(device)
            try expect(again.welcome.lastSequence == DeviceSequence(2), "Welcome does not go on after sequence 2")
            try await again.connection.send(.append(AppendRequest(firstSequence: DeviceSequence(1), envelopes: events)))
            let appended = try await again.connection.appended()
            let count = again.events(appended.version)
            try expect(count == 3, "3 events were sent, the log has \(count)")
        },
        ConformanceCase("N13", "a device whose token names no class cannot choose one on which previews are shown") {
            context in
            let phone = Device.ofNewUser()
            let owner = try await context.open(phone)
            let hide = NotificationSettingsChanged(deviceClass: .watch, previews: .never)
            let version = try await owner.appendAccepted(
                Envelope.setUp("a") + [.post("n", app: "a"), .of(.notificationSettingsChanged(hide), app: "a")])
            for deviceClass in DeviceClass.allCases {
                var replica = Replica()
                let live = try await context.open(phone.sibling(deviceClass: deviceClass))
                try await replica.follow(live.connection, to: version)
                let row = try replica.rows[RowKey(.notifications, app: AppID("a"), key: "n")].map {
                    try NotificationRow(decoding: $0)
                }
                try expect(
                    row?.title == NotificationRow.hiddenTitle,
                    "a device that says it is a \(deviceClass) reads what is hidden on a watch")
            }
        },
        ConformanceCase("A4", "an event for an app outside the scope is refused forbidden; others do not see it") {
            context in
            let system = Device.ofNewUser()
            let owner = try await context.open(system)
            try await owner.appendAccepted(Envelope.setUp("a"))
            let app = system.sibling(scope: .app(AppID("b")!))
            let live = try await context.open(app)
            let appended = try await live.append([
                .post("n", app: "a"), .of(.focusChanged(FocusChanged(focusID: "work", isActive: true))),
            ])
            let codes = appended.refused.map(\.code)
            try expect(codes == ["forbidden", "forbidden"], "refused with \(codes) instead of forbidden, forbidden")
            // The refusals are rows of the scope that caused them.
            var other = Replica()
            let observer = try await context.open(system.sibling(scope: .app(AppID("a")!)))
            try await other.follow(observer.connection, "first checkpoint") { $0.isConfirmed }
            try expect(other.keys(of: .refusals).isEmpty, "another app sees the refusal")
            try expect(other.keys(of: .notifications).isEmpty, "the refused event was posted")
        },
        ConformanceCase("A4", "an app sees no row, digest or change of another app or of the user") { context in
            let system = Device.ofNewUser()
            let owner = try await context.open(system)
            try await owner.appendAccepted(Envelope.setUp("mail") + Envelope.setUp("chat"))
            let mail = system.sibling(scope: .app(AppID("mail")!))
            let early = try await context.open(mail)
            try await owner.appendAccepted([
                .post("m", app: "mail"), .post("c", app: "chat"),
                .of(.focusConfigured(FocusConfigured(focusID: "work", name: "Work"))),
            ])
            // Once live, and once by a snapshot. `follow` fails unless the digests are of the app's rows alone.
            for live in [early, try await context.open(mail.sibling(scope: mail.scope))] {
                var replica = Replica()
                try await replica.follow(live.connection, "checkpoint behind its notification") {
                    $0.keys(of: .notifications) == ["m"] && $0.isConfirmed
                }
                let foreign = replica.received.filter { $0.app != AppID("mail") }
                try expect(foreign.isEmpty, "the app was sent \(foreign.count) rows that are not its own")
            }
        },
    ]
}
