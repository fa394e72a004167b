import FocusCore
import FocusWire
import Foundation

/// What is to be told of a user once a generation is shown (rule S8), and where their stream stands: all that the
/// cut-over has to know of a user who appended nothing since.
struct RebuildNotice: Sendable {
    let user: UserID
    let change: UserChange
    private let version: Version
    private let sequence: DeviceSequence

    init(_ state: borrowing UserState, _ change: UserChange) {
        user = state.user
        self.change = change
        version = state.version
        sequence = state.lastSequence(of: .server, incarnation: Incarnation(0))
    }

    /// The events that tell it, recorded at `time`, for the offsets from `offset` on.
    func events(
        _ generation: Generation, in partition: Partition, at offset: LogOffset, _ time: Timestamp
    ) -> [LoggedEvent] {
        var (version, sequence, offset) = (version, sequence, offset)
        return change.bodies(generation).map { body in
            (version, sequence) = (version.next, sequence.next)
            defer { offset = offset.next }
            return LoggedEvent(
                partition: partition, offset: offset, user: user, version: version, device: .server,
                incarnation: Incarnation(0), sequence: sequence, id: EventID(UUID()),
                type: EventType.projectionRebuilt.rawValue, app: nil, occurredAt: time,
                recordedAt: time, schemaVersion: FocusWire.payloadSchemaVersion,
                payload: PayloadCodec.encode(.projectionRebuilt(body)))
        }
    }
}
