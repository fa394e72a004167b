import FocusCore

/// G1: a server that gets SIGTERM.
enum ShutDownCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "G1", "on SIGTERM: GoAway shutting_down to all, exit 0 within 10 s, and what was acknowledged is there",
            // The rule says 10 s, on a machine that is not loaded.
            needs: [.terminateServer], limit: 40, measured: terminate)
    ]

    /// Sends SIGTERM while appends are under way.
    /// - Returns: how many seconds later the last connection was closed.
    private static func terminate(_ context: CaseContext) async throws -> Double {
        let device = Device.ofNewUser()
        let live = try await context.open(device)
        let idle = try await context.open(device.sibling())
        try await live.appendAccepted(Envelope.setUp("a"))
        // These are under way when the signal comes.
        for number in 0..<50 { try await live.send([.post("n\(number)", app: "a")]) }
        let clock = ContinuousClock()
        let begin = clock.now
        async let restarted: Void = context.perform(.terminateServer)
        _ = try await idle.connection.expectGoAway(.shuttingDown)
        try await idle.connection.expectClosed("after GoAway")
        var acknowledged: Int64 = 2
        do {
            while true {
                let message = try await live.connection.next()
                if case .appended(let appended) = message { acknowledged = appended.throughSequence.rawValue }
            }
        } catch Silence.closed {}
        let seconds = (clock.now - begin).inSeconds
        try await restarted
        let again = try await context.open(device)
        try expect(
            again.welcome.lastSequence.rawValue >= acknowledged,
            "\(acknowledged) events were acknowledged, the log has \(again.welcome.lastSequence.rawValue)")
        return seconds
    }
}
