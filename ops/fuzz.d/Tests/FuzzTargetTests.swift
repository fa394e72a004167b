import Foundation
import Testing

/// The targets of `ops/fuzz` compile with everything else, and take what the fuzzer starts from: one that finds something
/// ends the process.
@Suite struct FuzzTargetTests {
    @Test("Each target takes its corpus", arguments: ["frames", "session", "events", "tokens", "stored"])
    func corpus(name: String) throws {
        let target = try #require(FuzzTarget(rawValue: name))
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("corpus/\(name).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count > 5)
        for line in lines {
            let digits = try #require(line.split(separator: " ").last)
            try bytes(digits).withUnsafeBufferPointer { target.run($0) }
        }
    }

    private func bytes(_ digits: Substring) throws -> [UInt8] {
        let nibbles = try digits.map { digit in try #require(digit.hexDigitValue) }
        return stride(from: 0, to: nibbles.count - 1, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}
