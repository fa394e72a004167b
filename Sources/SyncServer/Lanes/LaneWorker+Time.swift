import EventStore
import FocusCore
import FocusWire
import Foundation

extension LaneWorker {
    /// Rule T1: what ends by itself ends with an event, which the server appends through the ordinary path. Validation
    /// makes a second attempt, also of another server, harmless.
    ///
    /// Looks at users in memory. One who is not is nobody's concern until he is loaded; his Focus then ends at once, with
    /// the time at which it was due.
    func stageDue(into staging: inout AppendStaging) {
        for user in dueUsers() {
            guard let due = user.state.dueExpiration else { continue }
            let recordedAt = recordingTime(user.partition)
            let event = Event(
                version: user.state.version.next, device: .server, incarnation: Incarnation(0),
                sequence: user.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
                id: EventID(UUID()), app: nil, occurredAt: due.at.stored, recordedAt: recordedAt,
                body: .focusExpired(due.event))
            guard user.state.validate(event, scope: .system) == nil else { continue }
            let payload = PayloadCodec.encode(event.body)
            _ = record(event, (.focusExpired, FocusWire.payloadSchemaVersion, payload), user, into: &staging)
        }
    }

    /// Users whose active Focus should have ended by now.
    private func dueUsers() -> [CachedUser] {
        let now = context.clock.wall()
        return users.values.filter { user in user.state.dueExpiration.map { $0.at <= now } ?? false }
            .sorted { $0.id < $1.id }
    }

    /// Whether it is time to look again.
    func isTimeToLook() -> Bool {
        let now = context.clock.monotonic()
        guard now >= nextLookAtTime else { return false }
        nextLookAtTime = now.adding(milliseconds: configuration.pollMilliseconds)
        return true
    }
}
