import Logging
import NIOConcurrencyHelpers
import Testing

@testable import focusd

@Suite("VisibleLogHandler") struct VisibleLogTests {
    private final class Lines: Sendable {
        let all = NIOLockedValueBox<[String]>([])
    }

    private struct Writer: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.all.withLockedValue { $0.append("\(event.message) \(all)") }
        }
    }

    private struct Named: CustomStringConvertible, Sendable { let description: String }

    @Test("No text of a device or of PostgreSQL begins a line of its own, or moves a terminal's cursor")
    func visible() {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in VisibleLogHandler(Writer(lines: lines)) }
        logger[metadataKey: "own"] = "o\u{1B}"
        logger.error(
            "m\r\nfocusd ready",
            metadata: [
                "text": "a\nb", "c\u{7F}": .stringConvertible(Named(description: "d\u{9B}2J")),
                "array": ["e\u{0}", ["f\t": "g\u{8}"]],
            ])
        let line = lines.all.withLockedValue { $0.joined(separator: "|") }
        #expect(line.contains("a\\u000a") && line.contains("\\u009b2J") && line.contains("o\\u001b"), "\(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }, "\(line)")
    }
}
