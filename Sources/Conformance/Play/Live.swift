import FocusCore

/// A device whose Hello was accepted. Appends take its next sequences. For one task.
final class Live {
    let connection: RawConnection
    let welcome: Welcome
    /// The last one used.
    private(set) var sequence: Int64

    init(_ connection: RawConnection, _ welcome: Welcome) {
        self.connection = connection
        self.welcome = welcome
        sequence = welcome.lastSequence.rawValue
    }

    /// Versions that an incarnation takes before its first event: the log says whose it is (rule P10), if it has the format
    /// for that.
    var beginnings: Int64 { welcome.protocolVersion >= 2 ? 1 : 0 }

    /// How many events of devices there are at a version of a user.
    /// - Parameter incarnations: so many of the user's devices have appended.
    func events(_ version: Version, of incarnations: Int64 = 1) -> Int64 {
        version.rawValue - incarnations * beginnings
    }

    /// The version at which there are so many.
    func version(of events: Int64) -> Version { Version(events + beginnings) }

    /// Sends one frame, and waits for nothing.
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

    /// As `append`, and nothing may be refused.
    @discardableResult
    func appendAccepted(_ envelopes: [Envelope]) async throws -> Version {
        let appended = try await append(envelopes)
        let codes = appended.refused.map(\.code)
        try expect(codes.isEmpty, "refused: \(codes)")
        return appended.version
    }
}
