import FocusCore
import FocusWire
import Testing

@Test func smoke() throws {
    let payload = PayloadCodec.encode(.focusChanged(FocusChanged(focusID: "work", isActive: true)))
    #expect(try PayloadCodec.json(.focusChanged, schemaVersion: 1, payload) == #"{"focusId":"work","isActive":true}"#)
}
