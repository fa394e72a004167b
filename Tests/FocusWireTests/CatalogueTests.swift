import FocusCore
import FocusWire
import Foundation
import Support
import Testing

/// Authors of other clients rely on `Schema/README.md`, so its examples and tables must be correct.
@Suite("Catalogue")
struct CatalogueTests {
    private let text: String

    init() throws { text = try String(contentsOf: Checkout.file("Schema/README.md"), encoding: .utf8) }

    @Test("every event type has a section with a JSON example that is one", arguments: EventType.allCases)
    func example(_ type: EventType) throws {
        let heading = try #require(text.range(of: "\n### \(type.rawValue)\n"), "no section \(type.rawValue)")
        let open = try #require(text.range(of: "```json\n", range: heading.upperBound..<text.endIndex))
        let close = try #require(text.range(of: "\n```", range: open.upperBound..<text.endIndex))
        let payload = try PayloadCodec.payload(type, json: String(text[open.upperBound..<close.lowerBound]))
        #expect(try PayloadCodec.decode(type, schemaVersion: 1, payload).type == type)
        #expect(text.contains("\n| `\(type.rawValue)` | "), "not in the table of types")
    }

    @Test("every refusal code, error code and public collection is explained")
    func words() {
        for code in RefusalCode.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code)") }
        for code in ErrorCode.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code)") }
        for collection in RowCollection.allCases where collection.isPublic {
            #expect(text.contains("\n| `\(collection.rawValue)` | "), "\(collection)")
        }
    }

    @Test("S9: the digest's vectors are right")
    func digest() throws {
        let badge = RowHash(RowKey(.badges, app: AppID("com.example.messages")), value: [8, 3])
        let focus = RowHash(RowKey(.focuses, key: "work"), value: [0x0A, 4] + Array("Work".utf8))
        var (one, other, sum) = (Digest(), Digest(), Digest())
        one += badge
        other += focus
        sum += badge
        sum += focus
        for digest in [one, other, sum] { #expect(text.contains("`\(digest)`"), "\(digest)") }
    }

    @Test("S6: the receipt's vector is right")
    func receipt() throws {
        func id(_ text: String) throws -> UUID { try #require(UUID(uuidString: text)) }
        func event(_ number: Int) throws -> UUID { try id("00000000-0000-7000-0000-00000000000\(number)") }
        var hash = EnvelopeHash()
        for number in 1...3 {
            let envelope = Envelope(
                id: EventID(try event(number)), type: "notification.posted", app: "com.example.chat",
                occurredAt: Timestamp(microseconds: 1_700_000_001_000_000), schemaVersion: 1, payload: [1, 2])
            hash.add(envelope, number == 2 ? .refused(code: "app_unknown", message: "no") : .accepted)
        }
        let subject = ReceiptSubject(
            log: LogID(try event(1)), user: UserID(try id("09000000-0000-0000-0000-000000000009")),
            device: DeviceID(try id("01000000-0000-0000-0000-000000000001")), incarnation: Incarnation(7),
            scope: .system)
        let key = ReceiptKey(secret: Array("0123456789abcdef0123456789abcdef".utf8))
        let receipt = key.receipt(subject, first: DeviceSequence(4), through: DeviceSequence(6), hash: hash)
        for bytes in [hash.value, receipt.code] {
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(text.contains("`\(hex)`"), "\(hex)")
        }
    }

    @Test("the frame in the text is that frame")
    func frame() {
        #expect(FrameCodec.frame(ClientMessage.ping(300)) == [0, 0, 0, 5, 0x2A, 3, 8, 0xAC, 2])
    }
}
