import FocusCore

/// Delivers a device's events whatever becomes of the server meanwhile, as a client must (rules P1, P2): it connects
/// again and sends everything again that was not acknowledged, including what the log already has. For one task.
final class ResendingClient {
    private static let eventsPerFrame = 20
    private static let framesUnderWay = 8

    private let context: CaseContext
    private let device: Device
    private let events: [Envelope]
    /// Of all retries together, in seconds.
    private let limit: Double
    /// Called with the number of events acknowledged so far.
    private let onProgress: @Sendable (Int) -> Void
    private(set) var through = 0
    private(set) var connections = 0
    private var version = Version.zero

    /// - Parameters:
    ///   - events: the device's first events, with the sequences 1, 2, 3 ….
    ///   - limit: how long it tries, in seconds.
    init(
        _ context: CaseContext, _ device: Device, _ events: [Envelope], limit: Double = 120,
        onProgress: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.context = context
        self.device = device
        self.events = events
        self.limit = limit
        self.onProgress = onProgress
    }

    /// Delivers all events.
    /// - Returns: the user's version after the last one.
    func deliver() async throws -> Version {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(limit))
        while through < events.count {
            var trouble = "it asks to try again later"
            do {
                try await attempt()
            } catch let failure as CaseFailure {
                throw failure
            } catch {
                // A refused connection, a reset or an end: the server is away. It has promised nothing that is lost by
                // that.
                trouble = "\(error)"
                try await Task.sleep(for: .milliseconds(100))
            }
            guard through == events.count || clock.now < end else {
                throw CaseFailure(
                    "\(through) of \(events.count) events delivered in \(Int(limit)) s: \(trouble)")
            }
        }
        return version
    }

    /// Delivers what can be delivered over one connection. Returns early, after a pause, when the server asks to try
    /// again later.
    private func attempt() async throws {
        let token = try await context.token(device)
        let connection = try await context.connect(as: device)
        try await connection.send(device.hello(token: token))
        guard
            let welcome = try await answer(connection, { if case .welcome(let welcome) = $0 { welcome } else { nil } })
        else { return try await Task.sleep(for: .milliseconds(200)) }
        connections += 1
        let last = Int(welcome.lastSequence.rawValue)
        try expect(last >= through, "\(through) events were acknowledged, but the log has only \(last) of them (P1)")
        var sent = through
        while through < events.count {
            while sent < events.count, sent - through < Self.framesUnderWay * Self.eventsPerFrame {
                let frame = Array(events[sent..<min(events.count, sent + Self.eventsPerFrame)])
                try await connection.send(
                    .append(AppendRequest(firstSequence: DeviceSequence(Int64(sent + 1)), envelopes: frame)))
                sent += frame.count
            }
            let appended = try await answer(connection) {
                if case .appended(let appended) = $0 { appended } else { nil }
            }
            guard let appended else { return try await Task.sleep(for: .milliseconds(200)) }
            through = max(through, Int(appended.throughSequence.rawValue))
            version = appended.version
            onProgress(through)
        }
    }

    /// The first answer that `pick` accepts. Nil: the server asks to try again later.
    private func answer<T>(_ connection: RawConnection, _ pick: (ServerMessage) -> T?) async throws -> T? {
        while true {
            let message = try await connection.next()
            if let picked = pick(message) { return picked }
            if case .goAway = message { return nil }
            guard case .error(let error) = message else { continue }
            try expect(error.code.isRetryable, "Error \(error.code.rawValue): \(error.message)")
            return nil
        }
    }
}
