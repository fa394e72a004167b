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

    @Test("the frame in the text is that frame")
    func frame() {
        #expect(FrameCodec.frame(ClientMessage.ping(300)) == [0, 0, 0, 5, 0x2A, 3, 8, 0xAC, 2])
    }
}
