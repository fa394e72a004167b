import FocusCore
import FocusWire
import Foundation
import Support
import Testing

/// The payloads in `Schema/samples`, one file for each schema version.
struct StoredSample: CustomTestStringConvertible {
    let schemaVersion: Int32
    let type: String
    let payload: [UInt8]
    /// The payload as Proto3 JSON.
    let json: String

    var testDescription: String { "\(type), schema version \(schemaVersion)" }

    /// Every sample of a schema version. A line holds type, payload in hexadecimal (`-` when empty) and JSON.
    static func all(of version: Int32) throws -> [StoredSample] {
        let text = try String(contentsOf: Checkout.file("Schema/samples/events_v\(version).txt"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            try #require(parts.count == 3, "\(line)")
            return StoredSample(
                schemaVersion: version, type: String(parts[0]), payload: try bytes(parts[1]), json: String(parts[2]))
        }
    }

    /// The samples of all schema versions.
    static func all() throws -> [StoredSample] {
        try (1...FocusWire.payloadSchemaVersion).flatMap { try all(of: $0) }
    }

    private static func bytes(_ hex: Substring) throws -> [UInt8] {
        guard hex != "-" else { return [] }
        let digits = Array(hex)
        try #require(digits.count.isMultiple(of: 2))
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }

    /// Decodes the payload as the log's readers do. `bytes` are appended to it first.
    func body(adding bytes: [UInt8] = []) throws -> EventBody {
        let type = try #require(EventType(rawValue: type))
        return try PayloadCodec.decode(type, schemaVersion: schemaVersion, payload + bytes)
    }
}
