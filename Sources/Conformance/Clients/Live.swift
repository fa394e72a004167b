import FocusCore

/// A device with a session. Its appends get its next sequences. For one task.
final class Live {
    let connection: RawConnection
    let welcome: Welcome
    /// The last sequence that was sent.
    private(set) var sequence: Int64

    init(_ connection: RawConnection, _ welcome: Welcome) {
        self.connection = connection
        self.welcome = welcome
        sequence = welcome.lastSequence.rawValue
    }

    /// How many versions an incarnation takes before its first event: one, for the event that says whose it is (rule
    /// P10), if the log has the format for that.
    var beginnings: Int64 { welcome.protocolVersion >= 2 ? 1 : 0 }

    /// How many events of devices there are at a version of the user.
    /// - Parameter incarnations: how many of the user's devices have appended.
    func events(_ version: Version, of incarnations: Int64 = 1) -> Int64 {
        version.rawValue - incarnations * beginnings
    }

    /// The version at which there are so many events of one device.
    func version(of events: Int64) -> Version { Version(events + beginnings) }

    /// Sends one frame, and does not wait for its acknowledgement.
    func send(_ envelopes: [Envelope]) async throws {
        let request = AppendRequest(firstSequence: DeviceSequence(sequence + 1), envelopes: envelopes)
        try await connection.send(.append(request))
        sequence += Int64(envelopes.count)
    }

    /// Sends one frame and waits until it is acknowledged.
    /// - Returns: the acknowledgement that covers its last event, with everything that was refused on the way.
    @discardableResult
    func append(_ envelopes: [Envelope]) async throws -> Appended {
        try await send(envelopes)
        var refused: [RefusedEvent] = []
        while true {
            var appended = try await connection.appended()
            refused += appended.refused
            guard appended.throughSequence.rawValue >= sequence else { continue }
            try expect(
                appended.throughSequence.rawValue == sequence,
                "Appended through \(appended.throughSequence.rawValue), but only \(sequence) were sent")
            appended.refused = refused
            return appended
        }
    }

    /// Sends one frame and waits until it is acknowledged. Throws if an event is refused. While the server says that it
    /// cannot reach its log, the frame is sent again, as a client must (rules G2, P1).
    /// - Returns: the user's version in the acknowledgement.
    @discardableResult
    func appendAccepted(_ envelopes: [Envelope]) async throws -> Version {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(connection.patience))
        let before = sequence
        while true {
            do {
                let appended = try await append(envelopes)
                let codes = appended.refused.map(\.code)
                try expect(codes.isEmpty, "refused: \(codes)")
                return appended.version
            } catch let failure as CaseFailure where failure.code == .unavailable && clock.now < end {
                sequence = before
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
