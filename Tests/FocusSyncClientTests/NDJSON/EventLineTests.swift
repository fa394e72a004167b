import FocusCore
import FocusSyncClient
import FocusWire
import Testing

@Suite("EventLine")
struct EventLineTests {
    private func draft(_ text: String) throws -> EventDraft { try EventLine.draft(Array(text.utf8)) }

    @Test("A line is an event: type, app, time and payload")
    func whole() throws {
        let line = #"""
            { "payload" : {"focusId":"work, } \" [","isActive":true} , "type":"focus.changed",
              "occurredAt":"2026-01-01T09:00:00.000001Z", "app":"com.example.chat" }
            """#
        let draft = try draft(line)
        #expect(draft.type == "focus.changed")
        #expect(draft.app == "com.example.chat")
        #expect(draft.occurredAt == Timestamp(microseconds: 1_767_258_000_000_001))
        let body = try PayloadCodec.decode(.focusChanged, schemaVersion: 1, draft.payload)
        #expect(body == .focusChanged(FocusChanged(focusID: "work, } \" [", isActive: true)))
    }

    @Test("Time may be microseconds; time, app and payload may be left out or null")
    func optional() throws {
        #expect(
            try draft(#"{"type":"badge.cleared","occurredAt":17}"#).occurredAt == Timestamp(microseconds: 17))
        #expect(try draft(#"{"type":"badge.cleared"}"#) == EventDraft(type: "badge.cleared", payload: []))
        #expect(
            try draft(#"{"type":"badge.cleared","app":null,"occurredAt":null}"#)
                == EventDraft(type: "badge.cleared", payload: []))
    }

    @Test("The app may have the name of the log's column, and is named once")
    func column() throws {
        let named = #"{"type":"badge.cleared","appId":"com.example.chat"}"#
        #expect(try draft(named).app == "com.example.chat")
        #expect(throws: EventLineError.self) {
            try draft(#"{"type":"badge.cleared","app":"com.example.chat","appId":"com.example.chat"}"#)
        }
    }

    @Test("Numbers reach the payload with every digit")
    func exactNumbers() throws {
        let line = #"""
            {"type":"route.locationsInserted","app":"a.b","payload":{"routeId":"r","points":
              [{"timeUs":"1","latitude":46.123456789012345,"longitude":0.1}]}}
            """#
        guard
            case .routeLocationsInserted(let inserted) = try PayloadCodec.decode(
                .routeLocationsInserted, schemaVersion: 1, draft(line).payload)
        else {
            Issue.record("another event")
            return
        }
        #expect(inserted.points.first?.latitude == 46.123456789012345)
        #expect(inserted.points.first?.longitude == 0.1)
    }

    @Test(
        "What is wrong is said",
        arguments: [
            ("", "expected at byte 1"), ("[]", "expected at byte 1"), ("{", "expected"), (#"{"type":"#, "does not end"),
            (#"{"type":}"#, "missing"), (#"{"type":"badge.cleared"} x"#, "follows"),
            (#"{"type":1}"#, "must be a string"),
            (#"{"type":"focus.chnged"}"#, "no type of event"), (#"{"app":"a.b"}"#, "\"type\" is missing"),
            (#"{"type":"badge.cleared","tpye":1}"#, "none of"), (#"{"type":"badge.cleared","type":"x"}"#, "twice"),
            (#"{"type":"badge.cleared","occurredAt":"soon"}"#, "must be a time"),
            (#"{"type":"badge.cleared","occurredAt":1.5}"#, "must be a time"),
            (#"{"type":"focus.changed","payload":{"focusID2":"x"}}"#, "has no field"),
            (#"{"type":"focus.changed","payload":7}"#, "JSON"), (#"{"type":"badge.cleared","app":"x\"#, "does not end"),
        ])
    func errors(line: String, part: String) {
        let error = #expect(throws: EventLineError.self) { try draft(line) }
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test("Lines are cut wherever the bytes are, the last needs no end, and a long one is bounded")
    func splitting() {
        var splitter = LineSplitter(limit: 3)
        #expect(splitter.lines(Array("a".utf8)) == [])
        #expect(splitter.lines(Array("b\n\nc".utf8)) == [Array("ab".utf8), []])
        #expect(splitter.last() == Array("c".utf8))
        #expect(splitter.last() == nil)
        #expect(splitter.lines(Array("123456\n".utf8)).map(\.count) == [4])
    }
}
