import EventStore
import FocusCore
import Logging

extension LaneSessions {
    /// Ends the user's sessions that may not go on: of revoked devices (rule A3), and of devices whose events come from
    /// another server (rule P8). Called when the state was loaded, or changed by what other servers appended; and after
    /// commits of our own, when there are revoked devices.
    func review(_ user: CachedUser) {
        for session in open.sessions(of: user.id) {
            if user.state.isRevoked(session.identity.device) {
                cutOff(session)
            } else {
                let last = user.state.lastSequence(of: session.identity.device, incarnation: session.incarnation)
                let isNew = confirmedAt() - session.openedAt < context.configuration.supersedeMilliseconds
                if session.isSuperseded(logged: last, isNew: isNew, lastWaiting: lastWaiting) {
                    end(session, .superseded)
                }
            }
        }
        guard user.state.hasRevokedDevices else { return }
        for handle in open.removeLeaving(of: user.id, user.state.isRevoked) { deliveries.cutOff(handle) }
    }

    /// The same of what another server appended for a user who is not in memory: they are loaded with the next turn, and a
    /// checkpoint that waits for a revoked device might leave until then.
    func reviewAbsent(_ logged: LoggedEvent) {
        guard logged.type == EventType.deviceRevoked.rawValue,
            case .deviceRevoked(let revoked)? = try? logged.decoded().body
        else { return }
        for session in open.sessions(of: logged.user) where session.identity.device == revoked.device {
            cutOff(session)
        }
        for handle in open.removeLeaving(of: logged.user, { $0 == revoked.device }) { deliveries.cutOff(handle) }
    }
}

extension LaneSession {
    /// Whether the log has more of the device's store than came through this session. What was committed just after it
    /// opened, or before, its earlier connection to another server still had under way; it is known from then on.
    /// Everything that is news was committed after the heads were last confirmed.
    /// - Parameters:
    ///   - last: the last sequence that the log has of the store.
    ///   - isNew: the session opened just before the heads were last confirmed.
    ///   - lastWaiting: the last sequence of what it appended and has no answer for.
    func isSuperseded(
        logged last: DeviceSequence, isNew: Bool, lastWaiting: (LaneSession) -> DeviceSequence
    ) -> Bool {
        guard last > lastSequence else { return false }
        // What it sent again on coming here, and its earlier connection had under way, is no news of anywhere else.
        guard isNew || last <= lastWaiting(self) else { return true }
        lastSequence = last
        return false
    }
}
