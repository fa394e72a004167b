import FocusCore
import Foundation
import SeededNumbers

@testable import FocusSyncClient

/// A device with a real store and view, and a server made of the real fold; messages travel when the test says so.
struct SimulatedDevice {
    private let directory: TemporaryDirectory
    let store: DeviceStore
    var view: LocalView
    private(set) var server: SimulatedServer
    private let owner: DeviceOwner
    private var clock = Fixture.clock
    private var otherSequence = DeviceSequence.zero
    /// The last event of this device that is logged.
    private var logged = DeviceSequence.zero
    /// Answers under way to the device.
    private var answers: [Appended] = []
    private var confirmedRows: [RowKey: [UInt8]] = [:]
    /// The rows that an observer was told.
    private(set) var observed: [RowKey: [UInt8]] = [:]

    init(_ scope: Scope = .system) throws {
        owner = Fixture.owner(scope)
        directory = try TemporaryDirectory()
        store = try DeviceStore(directory: directory.path)
        try store.claim(owner)
        view = LocalView(store: store, owner: owner, collections: [])
        server = SimulatedServer(user: owner.user, device: owner.device, scope: scope, clock: clock)
    }

    /// Sets up apps and Focuses from another device, receives them and begins to observe.
    mutating func begin() throws {
        for body in RandomBodies.setUp { try elsewhere(body) }
        try receive()
        for row in try view.rows(of: nil) { observed[row.key] = row.value }
    }

    private mutating func tick() -> Timestamp {
        clock = clock.adding(microseconds: 1_000)
        return clock
    }

    mutating func append(_ event: (EventBody, AppID?)) throws {
        let queued = try store.enqueue([EventDraft(event.0, app: event.1)], clock: tick())
        note(try view.append(queued))
    }

    /// Logs an event of another device of the user.
    mutating func elsewhere(_ event: (EventBody, AppID?)) throws {
        otherSequence = otherSequence.next
        let draft = EventDraft(event.0, app: event.1)
        let other = DeviceID(Fixture.user(200).uuid)
        var generator = SplitMix64(seed: UInt64(otherSequence.rawValue))
        let envelope = Envelope(
            id: .version7(milliseconds: 1, using: &generator), type: draft.type, app: draft.app, occurredAt: tick(),
            schemaVersion: 1, payload: draft.payload)
        try server.log(envelope, of: other, Incarnation(1), otherSequence, in: .system)
    }

    /// Logs up to `count` queued events and returns the answer to the device; sends no rows.
    mutating func deliver(_ count: Int) throws {
        try log(count)
        try answer()
    }

    /// Logs up to `count` queued events; the answer stays under way.
    mutating func log(_ count: Int) throws {
        let events = try store.queued().filter { $0.sequence > logged }.prefix(count)
        guard let last = events.last else { return }
        var refused: [RefusedEvent] = []
        for event in events {
            let refusal = try server.log(event.envelope, of: owner.device, store.incarnation, event.sequence)
            guard let refusal else { continue }
            refused.append(
                RefusedEvent(
                    sequence: event.sequence, event: event.envelope.id, code: refusal.code.rawValue,
                    message: refusal.message))
        }
        logged = last.sequence
        answers.append(Appended(throughSequence: last.sequence, version: server.state.version, refused: refused))
    }

    /// Delivers the answers: before the rows, or after them if an answer was lost and is repeated (rule P2).
    mutating func answer() throws {
        for appended in answers {
            let outcomes = try store.acknowledge(appended)
            if try view.isOutdated(by: outcomes) { note(try view.rebase([])) }
        }
        answers = []
    }

    /// Delivers a delta with everything new.
    mutating func receive() throws {
        let rows = server.rows
        try confirm(SimulatedServer.delta(from: confirmedRows, to: rows, at: server.state.version))
        confirmedRows = rows
    }

    mutating func confirm(_ rows: [DeltaRow]) throws {
        note(try view.rebase(try store.apply(rows, Fixture.cursor(server.state.version.rawValue))))
    }

    private mutating func note(_ rows: [LocalRow]) {
        for row in rows { observed[row.key] = row.value }
    }

    mutating func shown() throws -> [RowKey: [UInt8]] {
        Self.values(try view.rows(of: nil))
    }

    /// The rows of a view that is made from the store now.
    func shownAnew() throws -> [RowKey: [UInt8]] {
        var view = LocalView(store: store, owner: owner, collections: [])
        return Self.values(try view.rows(of: nil))
    }

    private static func values(_ rows: [LocalRow]) -> [RowKey: [UInt8]] {
        Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.value.map { (row.key, $0) } })
    }

    mutating func predicted(in collections: Set<RowCollection>) throws -> [RowKey: [UInt8]] {
        try shown().filter { collections.contains($0.key.collection) }
    }
}
