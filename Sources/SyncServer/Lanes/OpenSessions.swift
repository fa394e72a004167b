import FocusCore

/// The sessions of a lane: found by their connection, their user and their device's store. Those that ask to be let in
/// wait here, and those that were told to go are kept in mind until their connections are closed.
struct OpenSessions {
    /// Names a device's local store: of two connections of one, the newer wins (rule P8).
    private struct StoreKey: Hashable {
        var user: UserID
        var device: DeviceID
        var scope: Scope
        var incarnation: Incarnation

        init(_ identity: Identity, _ incarnation: Incarnation) {
            (user, device, scope) = (identity.user, identity.device, identity.scope)
            self.incarnation = incarnation
        }
    }

    private var sessions: [UInt64: LaneSession] = [:]
    /// In the order in which they were opened.
    private var ofUser: [UserID: [LaneSession]] = [:]
    private var ofStore: [StoreKey: LaneSession] = [:]
    /// Connections that said Hello, in their order.
    private(set) var waiting: [(handle: SessionHandle, opening: SessionOpening)] = []
    private var leaving = LeavingSessions()

    subscript(id: UInt64) -> LaneSession? { sessions[id] }

    var all: [LaneSession] { Array(sessions.values) }
    /// Users with a session.
    var users: some Collection<UserID> { ofUser.keys }

    func hasSessions(of user: UserID) -> Bool { ofUser[user] != nil }

    func sessions(of user: UserID) -> [LaneSession] { ofUser[user] ?? [] }

    /// The session of the device's store; nil: it has none.
    func session(of identity: Identity, _ incarnation: Incarnation) -> LaneSession? {
        ofStore[StoreKey(identity, incarnation)]
    }

    // MARK: Coming

    mutating func enqueue(_ handle: SessionHandle, _ opening: SessionOpening) { waiting.append((handle, opening)) }

    /// Everybody who waits; those who cannot be let in yet are given back with `enqueue`.
    mutating func dequeueWaiting() -> [(handle: SessionHandle, opening: SessionOpening)] {
        defer { waiting = [] }
        return waiting
    }

    /// Takes the place of another session of its store, which `remove` finds all the same.
    mutating func insert(_ session: LaneSession) {
        sessions[session.handle.id] = session
        ofUser[session.identity.user, default: []].append(session)
        ofStore[StoreKey(session.identity, session.incarnation)] = session
    }

    // MARK: Going

    /// - Returns: the session that the connection had; nil: none yet, or none any more.
    mutating func remove(_ id: UInt64) -> LaneSession? {
        waiting.removeAll { $0.handle.id == id }
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        let user = session.identity.user
        ofUser[user]?.removeAll { $0 === session }
        if ofUser[user]?.isEmpty == true { ofUser[user] = nil }
        let store = StoreKey(session.identity, session.incarnation)
        if ofStore[store] === session { ofStore[store] = nil }
        return session
    }

    /// The session was told to go; its connection may write for a while what waits for its device (`LeavingSessions`).
    mutating func leaves(_ session: LaneSession) { leaving.add(session) }

    /// The connection is closed.
    mutating func closed(_ id: UInt64) { leaving.closed(id) }

    /// Connections of the user's revoked devices that were told to go, each once (rule A3).
    mutating func removeLeaving(of user: UserID, _ isRevoked: (DeviceID) -> Bool) -> [SessionHandle] {
        leaving.removeRevoked(of: user, isRevoked)
    }
}
