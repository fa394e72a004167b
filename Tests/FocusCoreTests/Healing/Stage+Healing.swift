import Foundation
import Testing

@testable import FocusCore

extension Stage {
    /// A device re-offers an event that the log lost: it is folded without validation (rule S6).
    mutating func heal(
        _ body: EventBody, app: AppID? = nil, from device: DeviceID = .watch, sequence: Int64? = nil, at second: Double
    ) {
        let next = state.lastSequence(of: device, incarnation: Incarnation(1)).next
        let event = Event(
            version: state.version.next, device: device, incarnation: Incarnation(1),
            sequence: sequence.map { DeviceSequence($0) } ?? next,
            id: EventID(Self.uuid(900_000 + Int(state.version.rawValue))), app: app, occurredAt: .at(second),
            recordedAt: now, body: body, isHealed: true)
        do {
            _ = try state.apply(event)
        } catch {
            Issue.record("the fold threw \(error)")
        }
    }

    mutating func healPost(_ id: String, level: InterruptionLevel = .active, at second: Double) {
        heal(
            .notificationPosted(NotificationPosted(notificationID: id, title: "T", body: "B", level: level)),
            app: .chat, at: second)
    }
}
