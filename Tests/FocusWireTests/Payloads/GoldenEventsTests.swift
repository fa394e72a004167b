import FocusCore
import FocusWire
import Foundation
import Testing

/// Old events live for ever: the stored bytes in `Schema/samples` must always mean the same. `GoldenFoldTests` shows
/// that they also fold.
@Suite("Golden events")
struct GoldenEventsTests {
    @Test("every sample of schema version 1 decodes to what it always meant")
    func decode() throws {
        for sample in try StoredSample.all(of: 1) {
            let type = try #require(EventType(rawValue: sample.type))
            #expect(try sample.body() == SampleEvents.full(type))
            #expect(try PayloadCodec.json(type, schemaVersion: 1, sample.payload) == sample.json)
            #expect(try PayloadCodec.payload(type, json: sample.json) == sample.payload)
        }
    }

    @Test("there is a sample of every event type in the newest schema version")
    func complete() throws {
        let version = FocusWire.payloadSchemaVersion
        let present = Set(try StoredSample.all(of: version).map(\.type))
        for type in EventType.allCases where !present.contains(type.rawValue) {
            let payload = PayloadCodec.encode(try SampleEvents.full(type))
            let hex = payload.isEmpty ? "-" : payload.map { String(format: "%02x", $0) }.joined()
            Issue.record("add: \(type.rawValue) \(hex) \(try PayloadCodec.json(type, schemaVersion: version, payload))")
        }
    }

    @Test("W3: fields of a later schema do not break a stored sample")
    func unknownFields() throws {
        var later = ProtoWriter()
        later.string(100, "from a later schema")
        later.varint(101, 7)
        later.message(102) { $0.string(1, "a message") }
        for sample in try StoredSample.all() {
            #expect(try sample.body(adding: later.bytes) == sample.body(), "\(sample.testDescription)")
        }
    }
}
