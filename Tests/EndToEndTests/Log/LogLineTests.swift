import Foundation
import Logging
import SeededNumbers
import Support
import Testing

@testable import focusd

/// Lines of the log, whatever the texts in them hold.
@Suite("LogLine") struct LogLineTests {
    /// What random texts are made of: what ends lines, moves cursors, quotes and escapes, and takes one to four bytes.
    private static let pieces = [
        "\n", "\r\n", "\u{1B}[2J", "\u{9B}1m", "\u{0}", "\u{7F}", "\u{2028}", "\u{202E}", "\"", "\\", "\\u000a", " ",
        "=",
        "focusd ready", "key=value", "a", "é", "漢", "👩‍👩‍👧", "\u{FFFD}",
    ]

    private static func text(_ random: inout SplitMix64) -> String {
        let count = Int(random.next() % 40) * (random.next() % 8 == 0 ? 100 : 1)
        var text = ""
        for _ in 0..<count { text += pieces[Int(random.next() % UInt64(pieces.count))] }
        let bytes = (0..<Int(random.next() % 30)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return text + String(decoding: bytes, as: UTF8.self)
    }

    private static func line(_ random: inout SplitMix64) -> LogLine {
        var metadata: Logger.Metadata = [:]
        for _ in 0..<(random.next() % 12) {
            metadata[text(&random)] = random.next() % 4 == 0 ? ["\(text(&random))"] : "\(text(&random))"
        }
        return LogLine(
            time: Int64(random.next() % 4_000_000_000_000_000), level: .error, thread: text(&random),
            message: text(&random), metadata: metadata)
    }

    private static func hides(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x202E).contains(scalar.value)
    }

    @Test(
        "No text begins a line of its own, moves a cursor or turns the direction, in either format; JSON is JSON",
        arguments: Seeds.fresh(200))
    func oneLine(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            let line = Self.line(&random)
            for layout in LogLayout.allCases {
                let bytes = line.bytes(layout)
                #expect(bytes.count <= LogLine.limit && bytes.last == UInt8(ascii: "\n"))
                let text = try #require(String(validating: bytes, as: UTF8.self), "no UTF-8")
                #expect(!text.dropLast().unicodeScalars.contains(where: Self.hides), "\(text.debugDescription)")
            }
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.bytes(.json))) as? [String: Any])
            if object["truncated"] == nil {
                #expect(object["message"] as? String == line.message)
                for case (let key, .text(let value)) in line.fields { #expect(object[key] as? String == value) }
            }
        }
    }

    @Test("A text is cut at its bound, between two characters, and the line says so; one at the bound is whole")
    func bound() throws {
        for (piece, written) in [("a", 1), ("é", 2), ("👋", 4), ("\n", 6)] {
            let most = LogLine.messageLimit / written
            for count in [most, most + 1] {
                let line = LogLine(
                    time: 0, level: .info, thread: "t", message: String(repeating: piece, count: count), metadata: [:])
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.bytes(.json))) as? [String: Any])
                #expect((object["truncated"] as? Bool ?? false) == (count > most), "\(piece) × \(count)")
                #expect(String(decoding: line.bytes(.text), as: UTF8.self).contains("truncated=true") == (count > most))
            }
        }
    }

    @Test("Fields that do not fit any more are left out, and the line says so")
    func full() throws {
        let value = Logger.MetadataValue.string(String(repeating: "x", count: 1_000))
        let metadata = Logger.Metadata(uniqueKeysWithValues: (0..<9).map { ("k\($0)", value) })
        let line = LogLine(time: 0, level: .info, thread: "t", message: "m", metadata: metadata)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.bytes(.json))) as? [String: Any])
        #expect(object["k2"] != nil && object["k8"] == nil && object["truncated"] as? Bool == true)
    }

    @Test("Both formats, to the byte: numbers are numbers, texts are quoted where they must be, own keys stay free")
    func samples() {
        let line = LogLine(
            time: 1_795_244_197_567_223, level: .info, thread: "lane-0", message: "sent away",
            metadata: [
                "connection": .stringConvertible(UInt64(7)), "seconds": .stringConvertible(1.5), "time": "12",
                "reason": "a \"b\"\n", "code": "slow_consumer",
            ])
        let start = "2026-11-21T06:56:37.567223Z"
        #expect(
            String(decoding: line.bytes(.text), as: UTF8.self)
                == #"\#(start) info [lane-0] sent away code=slow_consumer connection=7 reason="a \"b\"\u000a" "#
                + "seconds=1.5 time_=12\n")
        #expect(
            String(decoding: line.bytes(.json), as: UTF8.self)
                == #"{"time":"\#(start)","level":"info","thread":"lane-0","message":"sent away","#
                + #""code":"slow_consumer","connection":7,"reason":"a \"b\"\u000a","seconds":1.5,"time_":"12"}"# + "\n")
    }
}
