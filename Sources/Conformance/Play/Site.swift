import FocusCore

/// What every case works with: the server, and how to come to it.
struct Site: Sendable {
    let target: ConformanceTarget
    let crowd = Crowd()
    private var isPinned = false

    init(_ target: ConformanceTarget) { self.target = target }

    /// All of a case's devices come to the first server, unless it says otherwise.
    var pinned: Site {
        var site = self
        site.isPinned = true
        return site
    }

    /// How long an answer that is to come at once may take, in seconds.
    var patience: Double { target.patienceSeconds }

    func token(
        _ device: Device, seconds: Double = 3_600, isForged: Bool = false
    ) async throws -> String {
        try await target.token(
            TokenRequest(
                user: device.user, device: device.id, scope: device.scope, seconds: seconds, isForged: isForged))
    }

    /// Where a device connects: always to the same server, as long as that is there.
    private func address(of device: Device?, toSecond: Bool) -> ConformanceTarget.Address {
        if toSecond { return target.others.first ?? target.server }
        guard let device, !isPinned else { return target.server }
        let servers = [target.server] + target.others
        return servers[device.id.description.utf8.reduce(0) { ($0 * 31 + Int($1)) % 65_521 } % servers.count]
    }

    /// A connection on which nothing was said.
    /// - Parameter device: who is going to; nil: nobody, or anybody.
    func connect(
        as device: Device? = nil, isDeaf: Bool = false, answersPings: Bool = true, toSecond: Bool = false
    ) async throws -> RawConnection {
        let address = address(of: device, toSecond: toSecond)
        return try await RawConnection.open(address, target, isDeaf: isDeaf, answersPings: answersPings)
    }

    /// Connects, says Hello and takes the Welcome.
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

    /// Connects and says Hello, and does not hear what is answered before it is told to listen.
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

    /// On a loaded machine Hello may come so late that it is rightly not heard any more (W6): then it is said once more.
    private func inTime<T>(_ attempt: () async throws -> T) async throws -> T {
        let clock = ContinuousClock()
        for _ in 0..<3 {
            let begin = clock.now
            do {
                return try await attempt()
            } catch {
                guard (clock.now - begin).inSeconds > 8 else { throw error }
            }
        }
        return try await attempt()
    }

    /// Runs a command of the operator's; one that is not there is an error of the case's `needs`.
    func perform(_ need: ConformanceNeed) async throws {
        guard let command = target.commands[need] else { throw CaseFailure("the case forgot that it needs \(need)") }
        try await command()
    }

    /// A new device of the user holds what `replica` holds, by a snapshot of its own.
    func expectSame(_ replica: Replica, as device: Device) async throws {
        let live = try await open(device.sibling(deviceClass: device.deviceClass))
        var fresh = Replica()
        try await fresh.follow(live.connection, to: replica.version)
        try expect(fresh.snapshots == 1, "a device without a cursor got no snapshot")
        let difference = fresh.difference(from: replica)
        try expect(difference.isEmpty, "a fresh snapshot differs: \(difference)")
    }
}
