import FocusCore
import Testing

@testable import Answers

@Suite("PropertyText") struct PropertyTextTests {
    @Test(
        "D2: a text means what its kind says",
        arguments: [
            ("true", .bool, .bool(true)), ("no", .bool, .bool(false)), ("1", .integer, .integer(1)),
            ("-9223372036854775808", .integer, .integer(.min)), ("1", .real, .real(1)), ("nan", .real, .real(.nan)),
            ("1", .string, .string("1")), ("", .string, .string("")), ("AP8=", .data, .data([0, 255])),
            ("1970-01-01T00:00:01.5Z", .date, .date(Timestamp(microseconds: 1_500_000))),
            (#"{"array":{"values":[{"integer":"1"},{"bool":true}]}}"#, .json, .array([.integer(1), .bool(true)])),
            (
                #"{"dictionary":{"entries":[{"key":"k","value":{"string":"v"}}]}}"#, .json,
                .dictionary(PropertyDictionary([.init("k", .string("v"))]) ?? .empty)
            ),
        ] as [(String, PropertyText.Kind, PropertyValue)])
    func value(_ text: String, _ kind: PropertyText.Kind, _ expected: PropertyValue) throws {
        #expect(try PropertyText.value(text, as: kind) == expected)
    }

    @Test(
        "A text that is no value of its kind is told",
        arguments: [
            ("1", .bool), ("1.0", .integer), ("9223372036854775808", .integer), ("one", .real), ("today", .date),
            ("!", .data), ("1", .json), ("{}", .json), (#"{"dictionary":{"entries":[{"key":"k"}]}}"#, .json),
        ] as [(String, PropertyText.Kind)])
    func problem(_ text: String, _ kind: PropertyText.Kind) {
        #expect(throws: PropertyTextError.self) { try PropertyText.value(text, as: kind) }
    }

    @Test("Strings and dates are shown as they are written, everything else as JSON, on one line")
    func text() {
        #expect(PropertyText.text(.string("a b")) == "a b")
        #expect(PropertyText.text(.string("a\nb")) == #""a\u000ab""#)
        #expect(PropertyText.text(.date(Timestamp(microseconds: 0))) == "1970-01-01T00:00:00.000000Z")
        #expect(PropertyText.text(.array([.real(1), .string("x")])) == #"[1.0,"x"]"#)
    }
}
