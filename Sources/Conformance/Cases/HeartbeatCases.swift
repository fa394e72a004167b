import FocusCore

/// L4: which devices are still there, and which are not.
enum HeartbeatCases {
    static let all: [ConformanceCase] = [
        ConformanceCase("L4", "a Ping is answered at once by a Pong with the same nonce") { context in
            let live = try await context.open(.ofNewUser())
            for nonce in [UInt64(0), 1, 300, .max] {
                try await live.connection.send(.ping(nonce))
                let answer = try await live.connection.first("Pong") {
                    if case .pong(let nonce) = $0 { nonce } else { nil }
                }
                try expect(answer == nonce, "Pong \(answer) to Ping \(nonce)")
            }
        },
        ConformanceCase("L4", "the server pings as often as Welcome says; who answers stays", isLong: true) { context in
            let clock = ContinuousClock()
            let begin = clock.now
            let live = try await context.open(.ofNewUser())
            let interval = Double(live.welcome.heartbeatMilliseconds) / 1_000
            for number in 1...3 {
                _ = try await live.connection.first("Ping \(number)", within: interval * 1.1 + context.patience) {
                    if case .ping = $0 { true } else { nil }
                }
                // Counted from the beginning: after a Ping that was heard late, the next would seem early.
                let (seconds, expected) = ((clock.now - begin).inSeconds, interval * Double(number))
                // A loaded machine may be late; it must not be early.
                try expect(
                    seconds > expected * 0.85 - 1 && seconds < expected * 1.1 + 60,
                    "Ping \(number) after \(seconds) s instead of \(expected)")
            }
            try await live.appendAccepted(Envelope.setUp("a"))
        },
        ConformanceCase("L4", "silence for two intervals: GoAway heartbeat_timeout, closed", isLong: true) { context in
            let clock = ContinuousClock()
            let begin = clock.now
            let live = try await context.open(.ofNewUser(), answersPings: false)
            let interval = Double(live.welcome.heartbeatMilliseconds) / 1_000
            _ = try await live.connection.expectGoAway(.heartbeatTimeout, within: interval * 3.3 + context.patience)
            try await live.connection.expectClosed("after GoAway")
            let seconds = (clock.now - begin).inSeconds
            try expect(
                seconds > interval * 1.7 - 1 && seconds < interval * 3.3 + 60,
                "cut off after \(seconds) s; two intervals are \(interval * 2)")
        },
        ConformanceCase("L4", "a half-open connection is given up, and the device's next one works", isLong: true) {
            context in
            // No FIN, no answer, nothing read: so looks a device that has left the network.
            let device = Device.ofNewUser()
            let other = device.sibling()
            let probe = try await context.open(other)
            let interval = Double(probe.welcome.heartbeatMilliseconds) / 1_000
            let lost = try await context.openDeaf(device, answersPings: false)
            let version = try await probe.appendAccepted(Envelope.setUp("a"))
            // The device comes back on another connection with the same store, and its old one does not hinder it.
            let back = try await context.open(device)
            var replica = Replica()
            try await replica.follow(back.connection, to: version)
            try await back.appendAccepted([.post("n", app: "a")])
            let silent = try await context.openDeaf(device.sibling(), answersPings: false)
            try await Task.sleep(for: .seconds(interval * 2.3 + 6))
            for ghost in [lost, silent] {
                try await ghost.listen()
                // What was under way comes, and then the end that the server made.
                try await ghost.expectClosed("half-open for two intervals")
            }
        },
    ]
}
