import EventStore
import FocusCore
import Foundation
import Testing

@testable import focusctl

@Suite struct ReplayFormatTests {
    private func event(encoding: Int16) -> LoggedEvent {
        let time = Timestamp(microseconds: 0)
        return LoggedEvent(
            partition: Partition(0), offset: .zero, user: UserID(UUID()), version: Version(1), device: DeviceID(UUID()),
            incarnation: Incarnation(1), sequence: DeviceSequence(1), id: EventID(UUID()), type: "focus.removed",
            app: nil, occurredAt: time, recordedAt: time, schemaVersion: 1, encoding: encoding,
            payload: [0x0A, 0x01, 0x77])
    }

    private func line(_ format: ReplayFormat, _ encoding: Int16) -> String {
        var bytes: [UInt8] = []
        format.append(event(encoding: encoding), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("CSV and NDJSON have the payload of an event as JSON, also of one that a device gave back (S6)")
    func healed() {
        for encoding in [LoggedEvent.asSent, LoggedEvent.healed] {
            #expect(line(.csv, encoding).hasSuffix(",\(encoding),\"{\"\"focusId\"\":\"\"w\"\"}\"\r\n"))
            #expect(line(.ndjson, encoding).contains(#""payload":{"focusId":"w"}"#))
        }
        #expect(line(.csv, 9).hasSuffix(",9,\\x0a0177\r\n"))
    }
}
