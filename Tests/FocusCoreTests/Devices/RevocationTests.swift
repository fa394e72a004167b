import Foundation
import Testing

@testable import FocusCore

/// The parts of rule A3 that the fold decides.
@Suite("Revocation") struct RevocationTests {
    private func revoke(_ device: DeviceID) -> EventBody { .deviceRevoked(DeviceRevoked(device: device)) }

    @Test("A3: only a system session revokes, and only devices")
    func scope() {
        var stage = Stage()
        #expect(stage.send(revoke(.tablet), at: 1, scope: .app(.chat)) == .forbidden)
        #expect(stage.send(revoke(.tablet), app: .chat, at: 1) == .fieldInvalid)
        #expect(stage.send(revoke(.tablet), app: .chat, at: 1, scope: .app(.chat)) == .forbidden)
        #expect(stage.send(revoke(.server), at: 1) == .fieldInvalid)
        #expect(!stage.state.hasRevokedDevices)
    }

    @Test("A3: what a revoked device still says is refused; what it said stays, and others go on")
    func refused() {
        var stage = Stage()
        stage.send(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: .chat, from: .tablet, at: 1)
        #expect(stage.send(revoke(.tablet), from: .phone, at: 2) == nil)
        #expect(stage.state.isRevoked(.tablet) && !stage.state.isRevoked(.phone))
        let late = EventBody.focusConfigured(FocusConfigured(focusID: "f", name: "F", sharesStatus: true))
        #expect(stage.send(late, from: .tablet, at: 1.5, recorded: 3) == .forbidden)
        #expect(stage.send(revoke(.phone), from: .tablet, at: 4) == .forbidden, "not even a revocation")
        #expect(stage.state.row(RowKey(.apps, app: .chat)) != nil)
        #expect(stage.send(late, from: .phone, at: 5) == nil)
    }

    @Test("A3: a device may revoke itself, one that is unknown, and one that is revoked already")
    func itself() {
        var stage = Stage()
        #expect(stage.send(revoke(.watch), at: 1) == nil)
        #expect(stage.send(revoke(.watch), at: 2) == nil)
        #expect(stage.send(revoke(.phone), at: 3) == nil)
        #expect(stage.state.isRevoked(.phone) && stage.state.isRevoked(.watch))
        #expect(stage.send(.focusRemoved(FocusRemoved(focusID: "f")), at: 4) == .forbidden)
    }

    @Test("A3: who was revoked survives the read model, and no row of devices shows it")
    func reload() throws {
        var stage = Stage()
        stage.send(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: .chat, from: .tablet, at: 1)
        stage.send(revoke(.tablet), at: 2)
        stage.send(revoke(.watch), at: 3)
        let state = stage.state
        let rows = Dictionary(
            uniqueKeysWithValues: state.rowKeys.compactMap { key in state.row(key).map { (key, $0) } })
        let reloaded = try UserState(user: state.user, version: state.version, rows: rows)
        #expect(reloaded.isRevoked(.tablet) && reloaded.isRevoked(.watch) && !reloaded.isRevoked(.phone))
        for (key, row) in rows { #expect(reloaded.row(key) == row) }
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        let shown = state.rows(after: SyncPosition(version: Version(1)), in: view, limitBytes: .max)
        #expect(shown.rows.isEmpty)
    }

    @Test("A3: a device that appends nothing is known while it is connected, and is then revoked past every bound")
    func connected() {
        var stage = Stage()
        for number in 1...EventLimits.revokedUnseenDevices {
            stage.send(revoke(DeviceID(Stage.uuid(1_000_000 + number))), at: Double(number))
        }
        let event = event(revoke(.watch), in: stage.state, sequence: 1_001)
        #expect(stage.state.validate(event, scope: .system)?.code == .tooMany)
        #expect(stage.state.validate(event, scope: .system, isConnected: { $0 == .tablet })?.code == .tooMany)
        #expect(stage.state.validate(event, scope: .system, isConnected: { $0 == .watch }) == nil)
    }

    @Test("A3: how many unseen devices are revoked is the same for a state that is loaded from its rows")
    func reloadedBound() throws {
        var state = UserState(user: UserID(Stage.uuid(1)))
        _ = try state.apply(event(revoke(.watch), in: state, sequence: 1))
        _ = try state.apply(event(revoke(.tablet), in: state, sequence: 2))
        #expect(state.revokedUnseen == [.watch, .tablet])
        // The fold takes what a log has, in whatever order.
        let focus = EventBody.focusRemoved(FocusRemoved(focusID: "f"))
        _ = try state.apply(event(focus, in: state, from: .tablet, sequence: 1))
        _ = try state.apply(event(revoke(.phone), in: state, sequence: 3))
        let rows = Dictionary(
            uniqueKeysWithValues: state.rowKeys.compactMap { key in state.row(key).map { (key, $0) } })
        let reloaded = try UserState(user: state.user, version: state.version, rows: rows)
        #expect(state.revokedUnseen == [.watch] && reloaded.revokedUnseen == [.watch])
        #expect(reloaded.revokedDevices == [.watch, .tablet, .phone])
    }

    private func event(
        _ body: EventBody, in state: UserState, from device: DeviceID = .phone, sequence: Int64
    ) -> Event {
        Event(
            version: state.version.next, device: device, incarnation: Incarnation(1),
            sequence: DeviceSequence(sequence), id: EventID(UUID()), app: nil, occurredAt: .at(3_000),
            recordedAt: .at(3_000), body: body)
    }

    @Test("A3: whoever revokes ids that nobody has seen keeps no device from being revoked")
    func bound() {
        var stage = Stage()
        stage.send(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: .chat, from: .tablet, at: 1)
        let limit = EventLimits.revokedUnseenDevices
        #expect(limit == 1_000)
        for number in 1...limit {
            let refusal = stage.send(revoke(DeviceID(Stage.uuid(1_000_000 + number))), at: Double(number + 1))
            #expect(refusal == nil)
        }
        let next = Double(limit + 2)
        #expect(stage.send(revoke(.watch), at: next) == .tooMany, "it was never seen")
        #expect(stage.send(revoke(DeviceID(Stage.uuid(1_000_001))), at: next) == nil, "it was revoked before")
        #expect(stage.send(revoke(.tablet), at: next) == nil)
        #expect(stage.state.isRevoked(.tablet) && stage.state.isRevoked(DeviceID(Stage.uuid(1_000_001))))
        #expect(stage.send(revoke(.phone), at: next) == nil, "the device itself")
    }
}
