import EventStore
import FocusCore
import Logging

extension LaneWorker {
    /// Ends the user's sessions that may not go on: of revoked devices (rule A3), and of devices whose events come from
    /// another server (rule P8). Called when the state was loaded, or changed by what other servers appended; and after
    /// commits of our own, when there are revoked devices.
    func review(_ user: CachedUser) {
        for session in sessions.sessions(of: user.id) {
            if user.state.isRevoked(session.identity.device) {
                cutOff(session)
            } else if appendsElsewhere(session, user) {
                end(session, .superseded)
            }
        }
        guard user.state.hasRevokedDevices else { return }
        for handle in sessions.removeLeaving(of: user.id, user.state.isRevoked) { deliveries.cutOff(handle) }
    }

    /// The same of what another server appended for a user who is not in memory: they are loaded with the next turn, and a
    /// checkpoint that waits for a revoked device might leave until then.
    func reviewAbsent(_ logged: LoggedEvent) {
        guard logged.type == EventType.deviceRevoked.rawValue,
            case .deviceRevoked(let revoked)? = try? logged.decoded().body
        else { return }
        for session in sessions.sessions(of: logged.user) where session.identity.device == revoked.device {
            cutOff(session)
        }
        for handle in sessions.removeLeaving(of: logged.user, { $0 == revoked.device }) { deliveries.cutOff(handle) }
    }

    private func cutOff(_ session: LaneSession) {
        let id = session.handle.id
        context.logger.info(
            "revoked device cut off", metadata: ["user": "\(session.identity.user)", "session": "\(id)"])
        deliveries.cutOff(session.handle)
        close(id)
    }

    /// Whether the log has more of the device's store than came through this session. What was committed just after it
    /// opened, or before, its earlier connection to another server still had under way; it is known from then on.
    /// Everything that is news was committed after the heads were last confirmed.
    private func appendsElsewhere(_ session: LaneSession, _ user: CachedUser) -> Bool {
        let last = user.state.lastSequence(of: session.identity.device, incarnation: session.incarnation)
        guard last > session.lastSequence else { return false }
        // What it sent again on coming here, and its earlier connection had under way, is no news of anywhere else.
        if last <= lastWaiting(session) {
            session.lastSequence = last
            return false
        }
        if tails.confirmedAt - session.openedAt < configuration.supersedeMilliseconds {
            session.lastSequence = last
            return false
        }
        return true
    }

    /// The last sequence of what the session appended and has no answer for.
    private func lastWaiting(_ session: LaneSession) -> DeviceSequence {
        (session.looksUp + appends.filter { $0.session == session.handle.id })
            .filter { $0.request.healing == nil }
            .map { $0.request.firstSequence.advanced(by: $0.request.events.count - 1) }.max() ?? .zero
    }
}
