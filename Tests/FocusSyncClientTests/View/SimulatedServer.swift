import FocusCore
import FocusWire
import Foundation

/// The server's side for one user, without a connection: the real fold and validation, and deltas for one device.
struct SimulatedServer {
    private(set) var state: UserState
    private let scope: Scope
    private let device: DeviceID
    private var clock: Timestamp

    init(user: UserID, device: DeviceID, scope: Scope = .system, clock: Timestamp) {
        state = UserState(user: user)
        (self.device, self.scope, self.clock) = (device, scope, clock)
    }

    private var view: View { View(scope: scope, device: device, deviceClass: .phone) }

    /// Logs an event, or its refusal.
    @discardableResult
    mutating func log(
        _ envelope: Envelope, of device: DeviceID, _ incarnation: Incarnation, _ sequence: DeviceSequence,
        in session: Scope? = nil
    ) throws -> Refusal? {
        let scope = session ?? scope
        clock = max(clock, envelope.occurredAt)
        let type = try unwrap(EventType(rawValue: envelope.type))
        let body = try PayloadCodec.decode(type, schemaVersion: envelope.schemaVersion, envelope.payload)
        var event = Event(
            version: state.version.next, device: device, incarnation: incarnation, sequence: sequence,
            id: envelope.id, app: envelope.app.flatMap(AppID.init), occurredAt: envelope.occurredAt,
            recordedAt: clock, body: body)
        let refusal = state.validate(event, scope: scope)
        if let refusal {
            event.app = scope.app
            event.body = .eventRefused(
                EventRefused(type: envelope.type, code: refusal.code.rawValue, message: refusal.message))
        }
        _ = try state.apply(event)
        return refusal
    }

    /// All rows that the device may see.
    var rows: [RowKey: [UInt8]] {
        let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: .max)
        return Dictionary(uniqueKeysWithValues: page.rows.compactMap { row in row.value.map { (row.key, $0) } })
    }

    /// The difference between two sets of rows.
    static func delta(from before: [RowKey: [UInt8]], to after: [RowKey: [UInt8]], at version: Version) -> [DeltaRow] {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
            .map { DeltaRow(key: $0, version: version, value: after[$0]) }
    }
}

private struct Missing: Error {}

private func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}
