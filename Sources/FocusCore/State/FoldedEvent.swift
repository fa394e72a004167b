/// What an event brings to every rule that it meets.
struct FoldedEvent: Sendable {
    let id: EventID
    let device: DeviceID
    let version: Version
    let stamp: Stamp
    let occurredAt: Timestamp
    let recordedAt: Timestamp
    let isHealed: Bool

    init(_ event: Event, stamp: Stamp) {
        id = event.id
        device = event.device
        version = event.version
        self.stamp = stamp
        occurredAt = event.occurredAt
        recordedAt = event.recordedAt
        isHealed = event.isHealed
    }

    private init() {
        id = EventID(DeviceID.server.uuid)
        device = .server
        version = .zero
        stamp = .beforeAll
        occurredAt = stamp.time
        recordedAt = stamp.time
        isHealed = false
    }

    /// Stands for the event of a state that has folded none.
    static let none = FoldedEvent()
}
