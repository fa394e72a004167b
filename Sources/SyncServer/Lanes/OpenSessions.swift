import FocusCore

/// The sessions of a lane, found by their connection, their user or their device's store. Also holds the connections
/// that wait to be admitted, and the sessions that were told to go until their connections are closed.
struct OpenSessions {
    private var sessions: [UInt64: LaneSession] = [:]
    /// Each user's sessions, in the order in which they were opened, or have their turns.
    private var ofUser: [UserID: [LaneSession]] = [:]
    /// A connection that waits to be admitted.
    struct Waiting {
        let handle: SessionHandle
        let opening: SessionOpening
        /// Whether its user has to be loaded: an outline of them cannot do, or did not.
        var needsLoad: Bool
    }

    /// Connections that wait to be admitted, in the order in which they asked.
    private(set) var waiting: [Waiting] = []
    private var leaving = LeavingSessions()

    subscript(id: UInt64) -> LaneSession? { sessions[id] }

    var all: [LaneSession] { Array(sessions.values) }
    /// The users who have a session.
    var users: some Collection<UserID> { ofUser.keys }

    func hasSessions(of user: UserID) -> Bool { ofUser[user] != nil }

    func sessions(of user: UserID) -> [LaneSession] { ofUser[user] ?? [] }

    /// Has these of the user's sessions be the last to have another turn.
    mutating func hadTurns(_ served: [LaneSession], of user: UserID) {
        let ids = Set(served.map(\.handle.id))
        ofUser[user]?.removeAll { ids.contains($0.handle.id) }
        ofUser[user]? += served
    }

    /// The devices of the user that have a session.
    func devices(of user: UserID) -> Set<DeviceID> { Set(sessions(of: user).lazy.map(\.identity.device)) }

    /// The newest session of the device's local store; nil when it has none. The newer of two connections of one store
    /// wins (rule P8).
    func session(of identity: Identity, _ incarnation: Incarnation) -> LaneSession? {
        sessions(of: identity.user).lazy.filter {
            $0.identity.device == identity.device && $0.identity.scope == identity.scope
                && $0.incarnation == incarnation
        }.max { $0.handle.id < $1.handle.id }
    }

    /// Whether the user's devices, and this device in its scope, may have another session (rule Q6).
    func hasRoom(for identity: Identity, _ configuration: LaneConfiguration) -> Bool {
        let all = sessions(of: identity.user)
        guard all.count < configuration.sessionsPerUser else { return false }
        guard all.count >= configuration.sessionsPerDevice else { return true }
        let ofDevice = all.count { $0.identity.device == identity.device && $0.identity.scope == identity.scope }
        return ofDevice < configuration.sessionsPerDevice
    }

    // MARK: Coming

    mutating func enqueue(_ connection: Waiting) { waiting.append(connection) }

    /// Removes and returns the connections that wait. Those that cannot be admitted yet go back with `enqueue`.
    mutating func dequeueWaiting() -> [Waiting] {
        defer { waiting = [] }
        return waiting
    }

    /// Adds a session.
    mutating func insert(_ session: LaneSession) {
        sessions[session.handle.id] = session
        ofUser[session.identity.user, default: []].append(session)
    }

    // MARK: Going

    /// Removes the connection's session, or its place among those that wait.
    /// - Returns: the session that the connection had; nil when it has none yet, or none any more.
    mutating func remove(_ id: UInt64) -> LaneSession? {
        waiting.removeAll { $0.handle.id == id }
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        let user = session.identity.user
        ofUser[user]?.removeAll { $0 === session }
        if ofUser[user]?.isEmpty == true { ofUser[user] = nil }
        return session
    }

    /// Keeps a session that was told to go until its connection is closed (`LeavingSessions`).
    mutating func leaves(_ session: LaneSession) { leaving.add(session) }

    /// Forgets a session that was told to go, as its connection is closed.
    mutating func closed(_ id: UInt64) { leaving.closed(id) }

    /// Removes the sessions of the user's revoked devices that were told to go (rule A3).
    /// - Returns: their connections, which are to be cut off.
    mutating func removeLeaving(of user: UserID, _ isRevoked: (DeviceID) -> Bool) -> [SessionHandle] {
        leaving.removeRevoked(of: user, isRevoked)
    }
}
