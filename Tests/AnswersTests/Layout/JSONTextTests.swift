import Answers
import FocusCore
import Foundation
import Testing

@Suite("JSON on one line") struct JSONTextTests {
    @Test("Every character survives, whatever a text holds, and a text and its bytes are the same")
    func characters() throws {
        let texts =
            (0..<0x180).compactMap { Unicode.Scalar($0).map { "a\($0)z" } } + [
                "", "\u{1F600} é\u{301}", String(repeating: "\"\\\n", count: 3),
            ]
        for text in texts {
            let add = { (json: inout JSONText) in
                json.add("a\"b", text)
                json.add("absent", nil)
                json.addRaw("raw", "[1]")
                json.addRaw("bytes", Array("{}".utf8))
                json.add("yes", true)
                json.add("least", Int64.min)
                json.addRaw("none") { bytes in
                    bytes.append(7)
                    return false
                }
            }
            var json = JSONText()
            add(&json)
            var bytes: [UInt8] = [7]
            JSONText.append(to: &bytes, add)
            #expect(Array(json.text.utf8) == Array(bytes.dropFirst()))
            #expect(!json.text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
            #expect(object["a\"b"] as? String == text && object.count == 5)
            #expect(object["least"] as? Int64 == .min)
        }
    }

    @Test("Identifiers and times are written as their texts are")
    func identifiersAndTimes() {
        for _ in 0..<100 {
            let id = EventID(UUID())
            let time = Timestamp(microseconds: .random(in: -70_000_000_000_000_000...300_000_000_000_000_000))
            var (json, texts) = (JSONText(), JSONText())
            json.add("id", id: id)
            json.add("time", time: time)
            texts.add("id", id.uuid.uuidString.lowercased())
            texts.add("time", time.rfc3339)
            #expect(json.text == texts.text)
        }
        #expect(JSONText().text == "{}")
    }

    @Test("An object is written behind what the output holds already")
    func inPlace() {
        var bytes: [UInt8] = Array("[{".utf8)
        JSONText.append(to: &bytes) { json in
            json.addRaw("none") { _ in false }
            json.add("least", quoted: Int64.min)
            json.addRaw("object") { bytes in
                bytes.append(contentsOf: "{}".utf8)
                return true
            }
        }
        JSONText.append(to: &bytes) { _ in }
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"[{{"least":"-9223372036854775808","object":{}}{}"#)
    }
}
