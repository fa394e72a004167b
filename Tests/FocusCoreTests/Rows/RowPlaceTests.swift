import Foundation
import Testing

@testable import FocusCore

@Suite("Places of rows") struct RowPlaceTests {
    @Test("Z1: a memo that ends as a place would is not taken for one: what a device writes loads again, whatever its id")
    func deviceIDs() throws {
        let tag: (UInt8, UInt8) = (0xF9, 0x7F)
        for offset in 0..<15 {
            var bytes = [UInt8](repeating: 7, count: 16)
            (bytes[offset], bytes[offset + 1]) = tag
            let device = try #require(DeviceID(bytes: bytes))
            for deviceClass in DeviceClass.allCases {
                var stage = Stage()
                let settings = NotificationSettingsChanged(deviceClass: deviceClass, alerts: .off)
                stage.send(.notificationSettingsChanged(settings), from: device, at: 1)
                stage.send(.focusConfigured(FocusConfigured(focusID: "work", name: "Work")), from: device, at: 2)
                stage.send(.focusChanged(FocusChanged(focusID: "work", isActive: true)), from: device, at: 3)
                try expectReloads(stage)
                stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), from: device, at: 4)
                try expectReloads(stage)
            }
        }
    }

    private func expectReloads(_ stage: Stage) throws {
        let again = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        for (key, row) in stage.rows { #expect(again.row(key) == row, "\(key)") }
    }
}
