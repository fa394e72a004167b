import FocusCore

/// Sessions that the lane has ended, and whose connections are not closed yet: they still write what waits for a slow
/// device, and GoAway behind it. If the device is revoked meanwhile, nothing that waits may reach it (rule A3).
///
/// Bounded by the open connections: each is closed within seconds of its GoAway, and then `closed` is called.
struct LeavingSessions {
    private var sessions: [UInt64: (user: UserID, device: DeviceID, handle: SessionHandle)] = [:]

    mutating func add(_ session: LaneSession) {
        sessions[session.handle.id] = (session.identity.user, session.identity.device, session.handle)
    }

    mutating func closed(_ id: UInt64) { sessions[id] = nil }

    /// Removes the sessions of the user's revoked devices.
    /// - Returns: their connections, which are to be cut off.
    mutating func removeRevoked(of user: UserID, _ isRevoked: (DeviceID) -> Bool) -> [SessionHandle] {
        guard !sessions.isEmpty else { return [] }
        let found = sessions.values.filter { $0.user == user && isRevoked($0.device) }.map(\.handle)
        for handle in found { sessions[handle.id] = nil }
        return found
    }
}
