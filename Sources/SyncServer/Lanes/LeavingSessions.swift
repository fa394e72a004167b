import FocusCore

/// Sessions that the lane ended while their connections still write what waits for a slow device: GoAway goes behind it.
/// The device may be revoked meanwhile (rule A3), and then nothing that waits may reach it. A connection is closed seconds
/// after GoAway at the latest, and says so.
struct LeavingSessions {
    private var sessions: [UInt64: (user: UserID, device: DeviceID, handle: SessionHandle)] = [:]

    mutating func add(_ session: LaneSession) {
        sessions[session.handle.id] = (session.identity.user, session.identity.device, session.handle)
    }

    mutating func closed(_ id: UInt64) { sessions[id] = nil }

    /// Removes the sessions of the user's revoked devices, and names them.
    mutating func removeRevoked(of user: UserID, _ isRevoked: (DeviceID) -> Bool) -> [SessionHandle] {
        guard !sessions.isEmpty else { return [] }
        let found = sessions.values.filter { $0.user == user && isRevoked($0.device) }.map(\.handle)
        for handle in found { sessions[handle.id] = nil }
        return found
    }
}
