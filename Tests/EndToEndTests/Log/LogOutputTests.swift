import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import focusd

/// What is written, and when.
@Suite("LogOutput") struct LogOutputTests {
    /// A reader of the log that takes as many bytes as the test says.
    private final class Reader: Sendable {
        let taken = NIOLockedValueBox<[UInt8]>([])
        let room = NIOLockedValueBox(Int.max)
        let now = NIOLockedValueBox(Int64(0))

        func output(_ layout: LogLayout = .text) -> LogOutput {
            let clock = LogOutput.Clock(wall: { 0 }, steady: { [now] in now.withLockedValue { $0 } })
            return LogOutput(layout, clock: clock) { [taken, room] bytes in
                let count = room.withLockedValue { room in
                    let count = min(room, bytes.count)
                    room -= count
                    return count
                }
                taken.withLockedValue { $0 += bytes[..<count] }
                return count
            }
        }

        var lines: [String] {
            String(decoding: taken.withLockedValue { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test("A flood is told of with the next line after its window, or when somebody looks, or at the end")
    func flood() {
        let reader = Reader()
        let output = reader.output()
        func logs(_ count: Int) { for _ in 0..<count { output.log(.error, "append failed", ["error": "x"]) } }
        logs(1_239)
        #expect(reader.lines.count == 5)
        reader.now.withLockedValue { $0 = 10_000 }
        output.log(.info, "stopped", [:])
        #expect(reader.lines.count == 7)
        #expect(
            reader.lines[5].contains(" error ") && reader.lines[5].contains("append failed: 1,234 more folded=1234"))
        #expect(reader.lines[6].hasSuffix("stopped"))
        logs(7)
        output.endWindows()
        #expect(reader.lines.count == 12)
        output.endWindows(all: true)
        #expect(reader.lines.count == 13 && reader.lines[12].contains("append failed: 2 more"))
        #expect(output.counts.lines == [.error: 1_246, .info: 1])
    }

    @Test("A reader that stands still holds up nobody; what it missed is told when it goes on")
    func lost() {
        let reader = Reader()
        let output = reader.output()
        output.log(.info, "first", [:])
        reader.room.withLockedValue { $0 = 0 }
        output.log(.info, "second", [:])
        output.log(.info, "third", [:])
        #expect(reader.lines.count == 1 && output.counts.lost == 2)
        reader.room.withLockedValue { $0 = .max }
        output.log(.info, "fourth", [:])
        #expect(reader.lines.count == 3 && reader.lines[1].hasSuffix("lost=2") && reader.lines[2].hasSuffix("fourth"))
        #expect(output.counts.lost == 2)
    }

    @Test("A line that was written in part is ended before the next one")
    func broken() {
        let reader = Reader()
        let output = reader.output(.json)
        reader.room.withLockedValue { $0 = 20 }
        output.log(.info, "first", [:])
        reader.room.withLockedValue { $0 = .max }
        output.log(.info, "second", [:])
        #expect(reader.lines.count == 3 && reader.lines[0].utf8.count == 20)
        for line in reader.lines.dropFirst() { #expect(line.hasPrefix("{") && line.hasSuffix("}")) }
    }

    @Test("A pipe that nobody reads takes whole lines alone")
    func pipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(Foundation.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let writing = ends[1]
        let output = LogOutput(.json) { LogOutput.write($0, to: writing) }
        let text = Logger.MetadataValue.string(String(repeating: "x", count: 900))
        for number in 0..<200 {
            output.log(.info, "line \(number)", ["a": text, "b": text, "c": text, "d": text])
        }
        #expect(output.counts.lost > 0 && output.counts.lost < 200)
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 17))
        bytes += piece[..<read(ends[0], &piece, piece.count)]
        bytes = Array(piece[..<bytes.count])
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 200 - output.counts.lost && bytes.last == UInt8(ascii: "\n"))
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line)) }
    }
}
