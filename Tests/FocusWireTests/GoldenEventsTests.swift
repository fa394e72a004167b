import FocusCore
import FocusWire
import Foundation
import Testing

/// Old events live for ever: the bytes in `Schema/samples` were written once and must always mean the same.
@Suite("Golden events")
struct GoldenEventsTests {
    /// One line for each sample: type, payload in hexadecimal (`-` when empty), its proto3 JSON.
    private func lines() throws -> [(type: String, payload: [UInt8], json: String)] {
        let text = try String(contentsOfFile: Checkout.path("Schema/samples/events_v1.txt"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            try #require(parts.count == 3, "\(line)")
            return (String(parts[0]), try bytes(parts[1]), String(parts[2]))
        }
    }

    private func bytes(_ hex: Substring) throws -> [UInt8] {
        guard hex != "-" else { return [] }
        let digits = Array(hex)
        try #require(digits.count.isMultiple(of: 2))
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }

    @Test("every sample of schema version 1 decodes to what it always meant")
    func decode() throws {
        for line in try lines() {
            let type = try #require(EventType(rawValue: line.type))
            #expect(try PayloadCodec.decode(type, schemaVersion: 1, line.payload) == SampleEvents.full(type))
            #expect(try PayloadCodec.json(type, schemaVersion: 1, line.payload) == line.json)
            #expect(try PayloadCodec.payload(type, json: line.json) == line.payload)
        }
    }

    @Test("there is a sample of every event type")
    func complete() throws {
        let present = Set(try lines().map(\.type))
        for type in EventType.allCases where !present.contains(type.rawValue) {
            let payload = PayloadCodec.encode(try SampleEvents.full(type))
            let hex = payload.isEmpty ? "-" : payload.map { String(format: "%02x", $0) }.joined()
            Issue.record("add: \(type.rawValue) \(hex) \(try PayloadCodec.json(type, schemaVersion: 1, payload))")
        }
    }
}
