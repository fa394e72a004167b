import FocusCore
import FocusWire
import Foundation

/// What the cut-over needs to append a user's `projection.rebuilt` events (rule S8): which rows differ, and where the
/// user's stream ends. It takes far less memory than the user's rows, and is enough while the user appends nothing.
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

    /// The user's `projection.rebuilt` events, recorded at `time`, for the offsets from `offset` on.
    func events(
        _ generation: Generation, in partition: Partition, at offset: LogOffset, _ time: Timestamp,
        makeID: () -> EventID = { EventID(UUID()) }
    ) -> [LoggedEvent] {
        var (version, sequence, offset) = (version, sequence, offset)
        return change.bodies(generation).map { body in
            (version, sequence) = (version.next, sequence.next)
            defer { offset = offset.next }
            return LoggedEvent(
                partition: partition, offset: offset, user: user, version: version, device: .server,
                incarnation: Incarnation(0), sequence: sequence, id: makeID(),
                type: EventType.projectionRebuilt.rawValue, app: nil, occurredAt: time,
                recordedAt: time, schemaVersion: FocusWire.payloadSchemaVersion,
                payload: PayloadCodec.encode(.projectionRebuilt(body)))
        }
    }
}
