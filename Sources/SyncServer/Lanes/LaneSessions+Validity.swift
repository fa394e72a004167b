import EventStore
import FocusCore
import Logging

extension LaneSessions {
    /// Ends the user's sessions that may not go on: those of revoked devices (rule A3), and those of devices whose
    /// events come from another server (rule P8). Called when the user was loaded, when events of other servers were
    /// folded into their state, and after the lane's own commits if the user has revoked devices.
    func closeInvalidSessions(_ user: CachedUser) {
        cutOffRevoked(user)
        for session in open.sessions(of: user.id) {
            let last = user.state.lastSequence(of: session.identity.device, incarnation: session.incarnation)
            let isNew = confirmedAt() - session.openedAt < context.configuration.supersedeMilliseconds
            if session.isSuperseded(logged: last, isNew: isNew, lastWaiting: lastWaiting) {
                end(session, .superseded)
            }
        }
    }

    /// Ends the sessions of the user's revoked devices (rule A3).
    func cutOffRevoked(_ user: CachedUser) {
        guard user.state.hasRevokedDevices else { return }
        for session in open.sessions(of: user.id) where user.state.isRevoked(session.identity.device) {
            cutOff(session)
        }
        for handle in open.removeLeaving(of: user.id, user.state.isRevoked) { deliveries.cutOff(handle) }
    }

    /// Ends the sessions of a device that another server's event revokes (rule A3), for a user who is not in memory.
    /// The user is loaded later, and what waits for the device might leave before that.
    func reviewAbsent(_ logged: LoggedEvent) {
        guard logged.type == EventType.deviceRevoked.rawValue,
            case .deviceRevoked(let revoked)? = try? logged.decoded().body
        else { return }
        for session in open.sessions(of: logged.user) where session.identity.device == revoked.device {
            cutOff(session)
        }
        for handle in open.removeLeaving(of: logged.user, { $0 == revoked.device }) { deliveries.cutOff(handle) }
    }

    /// Ends all sessions of a user of whose devices another server's events revoke some, and nobody read which (rule
    /// A3): until the user is loaded, what waits for a revoked one might leave. The others come back at once.
    func cutOffAll(_ user: UserID) {
        for session in open.sessions(of: user) { cutOff(session) }
        for handle in open.removeLeaving(of: user, { _ in true }) { deliveries.cutOff(handle) }
    }
}

extension LaneSession {
    /// Whether the device's store appends through another connection, on another server (rule P8): the log has events
    /// of its incarnation that did not come through this session.
    ///
    /// Events that the device's earlier connection had under way are no sign of that. They are committed shortly after
    /// this session opened, or they are among the events that this session has sent again. When exactly an event was
    /// committed is not known, but events that are news were committed after the heads were last confirmed: if that was
    /// long after the session opened, so were the commits.
    /// - Parameters:
    ///   - last: the last sequence that the log has of the incarnation.
    ///   - isNew: whether the heads were last confirmed less than `supersedeMilliseconds` after the session opened.
    ///   - lastWaiting: gives the last sequence of a session's appends that wait for their answer.
    func isSuperseded(
        logged last: DeviceSequence, isNew: Bool, lastWaiting: (LaneSession) -> DeviceSequence
    ) -> Bool {
        guard last > lastSequence else { return false }
        // The session itself has sent these events too: after connecting it sends again what is unanswered.
        guard isNew || last <= lastWaiting(self) else { return true }
        lastSequence = last
        return false
    }
}
