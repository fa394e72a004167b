import FocusCore

/// Q5 and Q6: what a device may ask for in a minute, and how many sessions it may have. The quotas are those that
/// Welcome names; where a server does not say one, its case passes without testing anything. The quota of a day has no
/// case, as it would take hundreds of thousands of events.
enum QuotaCases {
    /// How many sessions a device may have in a scope (rule Q6).
    private static let sessionsPerScope = 8
    /// The most fetches that a case has under way, whatever a server allows.
    private static let fetchesTogether = 64

    static let all: [ConformanceCase] = [
        ConformanceCase(
            "Q5", "a fetch past the quota of a minute is quota_exceeded by its id, and after its time one is answered"
        ) { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            let width = min(Int(live.welcome.maximumFetches), fetchesTogether)
            guard width > 0, var quota = MinuteQuota(live.welcome.quotas.fetchesPerMinute) else { return }
            guard let refusal = try await quota.refusal({ try await fetch(live.connection, width) }) else { return }
            // The session goes on, and another device has a quota of its own.
            try await live.appendAccepted(Envelope.setUp("a"))
            let other = try await context.open(device.sibling())
            try expect(try await fetch(other.connection, 1) == [nil], "another device of the user is refused too")
            let wait = refusal.retryAfterMilliseconds
            try await Task.sleep(for: .milliseconds(wait))
            try expect(
                try await fetch(live.connection, 1) == [nil], "none is answered after the \(wait) ms that it named")
        },
        ConformanceCase(
            "Q5", "a Resync past the quota, on any connection, is quota_exceeded and ends the session; nothing is lost"
        ) { context in
            let device = Device.ofNewUser()
            let live = try await context.open(device)
            guard var quota = MinuteQuota(live.welcome.quotas.resyncsPerMinute) else { return }
            try expect(try await snapshot(live.connection) == nil, "an Error instead of the first snapshot")
            let version = try await live.appendAccepted(Envelope.setUp("a") + [.post("n", app: "a")])
            guard try await quota.refusal({ try await resync(live.connection) }) != nil else { return }
            try await live.connection.expectClosed("after quota_exceeded")
            let again = try await context.open(device)
            try expect(again.welcome.lastSequence == DeviceSequence(3), "Welcome does not go on after sequence 3")
            var replica = Replica()
            try await replica.follow(again.connection, to: version)
            try expect(replica.keys(of: .notifications) == ["n"], "listed: \(replica.keys(of: .notifications))")
            // The quota is the device's: a new connection has what flowed back meanwhile, and no more.
            guard try await quota.refusal({ try await resync(again.connection) }) != nil else { return }
            try await again.connection.expectClosed("after quota_exceeded")
        },
        ConformanceCase(
            "Q6", "a device's ninth session in a scope is sent GoAway too_many; the others and another scope's go on"
        ) { context in
            let device = Device.ofNewUser()
            let first = try await context.open(device)
            try await first.appendAccepted(Envelope.setUp("a"))
            var sessions = [first]
            while sessions.count < sessionsPerScope { sessions.append(try await context.open(device.reborn())) }
            let excess = device.reborn()
            let ninth = try await context.connect(as: excess)
            try await ninth.send(excess.hello(token: try await context.token(excess)))
            let goAway = try await ninth.first("GoAway") { message -> GoAway? in
                if case .welcome = message { throw CaseFailure("the device has a ninth session in its scope") }
                if case .goAway(let goAway) = message { return goAway }
                return nil
            }
            try expect(goAway.code == .tooMany, "GoAway \(goAway.code.rawValue) instead of too_many")
            try await ninth.expectClosed("after GoAway")
            for (number, session) in sessions.enumerated() {
                try await session.appendAccepted([.post("n\(number)", app: "a")])
            }
            var app = device.reborn()
            app.scope = .app(AppID("a")!)
            _ = try await context.open(app)
            _ = try await context.open(device.sibling())
        },
    ]

    /// Asks so many questions at once, and waits until all are answered.
    /// - Returns: for each answer nil, or the Error that is in its place.
    private static func fetch(_ connection: RawConnection, _ count: Int) async throws -> [ProtocolError?] {
        var waiting: Set<UInt64> = []
        while waiting.count < count { waiting.insert(UInt64.random(in: 1...(.max))) }
        for id in waiting { try await connection.send(.fetch(FetchRequest(id: id, .routes(after: nil)))) }
        var answers: [ProtocolError?] = []
        while !waiting.isEmpty {
            let (request, error) = try await connection.first("answer to a Fetch") {
                message -> (UInt64?, ProtocolError?)? in
                if case .fetched(let fetched) = message { return (fetched.request, nil) }
                if case .error(let error) = message { return (error.request, error) }
                return nil
            }
            guard let id = request, waiting.remove(id) != nil else {
                throw CaseFailure("\(error?.code.rawValue ?? "Fetched") names no Fetch that is under way")
            }
            answers.append(error)
        }
        return answers
    }

    /// Asks for a collection afresh, and waits for the answer.
    /// - Returns: nil, or the Error that is in its place, as the only element.
    private static func resync(_ connection: RawConnection) async throws -> [ProtocolError?] {
        try await connection.send(.resync([.notifications]))
        return [try await snapshot(connection)]
    }

    /// Waits for the end of a snapshot. Returns the Error that comes instead of it; nil: none.
    private static func snapshot(_ connection: RawConnection) async throws -> ProtocolError? {
        try await connection.first("end of a snapshot") { message -> ProtocolError?? in
            if case .snapshotEnd = message { return .some(nil) }
            if case .error(let error) = message { return .some(error) }
            return nil
        }
    }
}

/// A device's quota of a minute, and how much of it was used since this was made (rule Q5).
private struct MinuteQuota {
    /// For how many seconds a case asks. Over a slow network, or of a large quota, as much may flow back as is asked
    /// for meanwhile.
    private static let limitSeconds = 30.0

    private let amount: Int
    private let begin = ContinuousClock().now
    private var answered = 0

    /// Nil: the server does not say.
    init?(_ amount: UInt32) {
        guard amount > 0 else { return nil }
        self.amount = Int(amount)
    }

    /// Asks until something is refused. Throws when the device gets less than its quota, or more than that and what has
    /// flowed back.
    /// - Parameter ask: asks, once or several times. Returns for each answer nil, or the Error that is in its place.
    /// - Returns: the refusal, of several the one that names the longest time; nil: none came for so long that none can
    ///   be expected.
    mutating func refusal(_ ask: () async throws -> [ProtocolError?]) async throws -> ProtocolError? {
        var seconds = 0.0
        while seconds < Self.limitSeconds {
            let answers = try await ask()
            seconds = (ContinuousClock().now - begin).inSeconds
            let refusals = answers.compactMap { $0 }
            answered += answers.count - refusals.count
            // A server may round to one more.
            let most = Double(amount) * (1 + seconds / 60) + 1
            try expect(
                Double(answered) <= most, "\(answered) were answered in \(seconds) s; \(amount) may be in a minute")
            guard let longest = refusals.max(by: { $0.retryAfterMilliseconds < $1.retryAfterMilliseconds }) else {
                continue
            }
            for refusal in refusals {
                try expect(refusal.code == .quotaExceeded, "\(refusal.code.rawValue) instead of quota_exceeded")
                try expect(refusal.retryAfterMilliseconds > 0, "quota_exceeded names no time")
            }
            try expect(answered >= amount, "refused after \(answered) were answered; \(amount) may be in a minute")
            return longest
        }
        return nil
    }
}
