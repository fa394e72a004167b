import FocusCore
import Testing

@testable import FocusWire

/// That no type of event is forgotten whose payload names a user or a device.
@Suite("Pseudonyms in payloads") struct PseudonymPayloadTests {
    private let names = Pseudonyms(secret: [UInt8](repeating: 7, count: 32))
    /// Types whose payloads name events by their ids, which stay.
    private static let namesEvents: Set<EventType> = [.actionHandled]

    @Test("No id that a payload has is left in it under pseudonyms", arguments: EventType.allCases)
    func ids(_ type: EventType) throws {
        guard !Self.namesEvents.contains(type) else { return }
        let body = try SampleEvents.full(type)
        let text = try PayloadCodec.json(type, schemaVersion: 1, PayloadCodec.encode(body))
        let hidden = try PayloadCodec.json(type, schemaVersion: 1, PayloadCodec.encode(names.hiding(body)))
        for match in text.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/) {
            #expect(!hidden.contains(match.0), "\(hidden)")
        }
    }
}
