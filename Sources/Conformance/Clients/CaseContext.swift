import FocusCore

/// What every case works with: the server, and the ways to connect to it.
struct CaseContext: Sendable {
    let target: ConformanceTarget
    let crowd = Crowd()
    private var isPinned = false

    init(_ target: ConformanceTarget) { self.target = target }

    /// The same context, on which all devices connect to the first server unless a case says otherwise.
    var pinned: CaseContext {
        var context = self
        context.isPinned = true
        return context
    }

    /// How long an answer that must come at once may take, in seconds.
    var patience: Double { target.patienceSeconds }

    func token(
        _ device: Device, seconds: Double = 3_600, isForged: Bool = false
    ) async throws -> String {
        try await target.token(
            TokenRequest(
                user: device.user, device: device.id, scope: device.scope, seconds: seconds, isForged: isForged))
    }

    /// The server that a device connects to: always the same one, chosen by the device's id.
    private func address(of device: Device?, toSecond: Bool) -> ConformanceTarget.Address {
        if toSecond { return target.others.first ?? target.server }
        guard let device, !isPinned else { return target.server }
        let servers = [target.server] + target.others
        return servers[device.id.description.utf8.reduce(0) { ($0 * 31 + Int($1)) % 65_521 } % servers.count]
    }

    /// A connection on which nothing was sent.
    /// - Parameter device: the device that will use it; nil: none, or any.
    func connect(
        as device: Device? = nil, isDeaf: Bool = false, answersPings: Bool = true, toSecond: Bool = false
    ) async throws -> RawConnection {
        let address = address(of: device, toSecond: toSecond)
        return try await RawConnection.open(address, target, isDeaf: isDeaf, answersPings: answersPings)
    }

    /// Connects, sends Hello and waits for Welcome.
    func open(
        _ device: Device, cursor: Cursor? = nil, tokenSeconds: Double = 3_600, answersPings: Bool = true,
        toSecond: Bool = false
    ) async throws -> Live {
        try await inTime {
            let token = try await token(device, seconds: tokenSeconds)
            let connection = try await connect(as: device, answersPings: answersPings, toSecond: toSecond)
            try await connection.send(device.hello(token: token, cursor: cursor))
            return Live(connection, try await connection.welcome())
        }
    }

    /// Connects and sends Hello, and reads no answer before `listen`.
    func openDeaf(
        _ device: Device, cursor: Cursor? = nil, answersPings: Bool = true
    ) async throws -> RawConnection {
        try await inTime {
            let token = try await token(device)
            let connection = try await connect(as: device, isDeaf: true, answersPings: answersPings)
            try await connection.send(device.hello(token: token, cursor: cursor))
            return connection
        }
    }

    /// Tries again when an attempt took long: on a loaded machine Hello may come so late that the server rightly
    /// ignores it (W6). Also while the server has not found its database again, which an earlier case may have
    /// restarted: it rightly says so (G2).
    private func inTime<T>(_ attempt: () async throws -> T) async throws -> T {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(patience))
        var late = 0
        while true {
            let begin = clock.now
            do {
                return try await attempt()
            } catch let failure as CaseFailure where failure.code == .unavailable && begin < end {
                try await Task.sleep(for: .milliseconds(200))
            } catch {
                guard (clock.now - begin).inSeconds > 8, late < 3 else { throw error }
                late += 1
            }
        }
    }

    /// Runs a command of the operator. A missing one is a mistake in the case's `needs`.
    func perform(_ need: ConformanceNeed) async throws {
        guard let command = target.commands[need] else { throw CaseFailure("the case forgot that it needs \(need)") }
        try await command()
    }

    /// Checks that a new device of the user gets, by a snapshot, the rows that `replica` holds.
    func expectSame(_ replica: Replica, as device: Device) async throws {
        let live = try await open(device.sibling(deviceClass: device.deviceClass))
        var fresh = Replica()
        try await fresh.follow(live.connection, to: replica.version)
        try expect(fresh.snapshots == 1, "a device without a cursor got no snapshot")
        let difference = fresh.difference(from: replica)
        try expect(difference.isEmpty, "a fresh snapshot differs: \(difference)")
    }
}
