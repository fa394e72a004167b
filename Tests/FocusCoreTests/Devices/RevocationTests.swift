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

    @Test("A3, E5: 10,000 devices can be revoked, and none is forgotten for another")
    func bound() {
        var stage = Stage()
        for number in 1...EventLimits.revokedDevices {
            let refusal = stage.send(revoke(DeviceID(Stage.uuid(1_000_000 + number))), at: Double(number))
            #expect(refusal == nil)
        }
        let next = Double(EventLimits.revokedDevices + 1)
        #expect(stage.send(revoke(.tablet), at: next) == .tooMany)
        #expect(stage.send(revoke(DeviceID(Stage.uuid(1_000_001))), at: next) == nil)
        #expect(stage.state.isRevoked(DeviceID(Stage.uuid(1_000_001))))
    }
}
