import Logging
import NIOConcurrencyHelpers

/// Keeps what a server logs, for a test to read.
struct KeptLog: LogHandler {
    private let kept = NIOLockedValueBox<[(level: Logger.Level, text: String)]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        kept.withLockedValue { $0.append((event.level, "\(event.message)")) }
    }

    /// The messages of a level so far.
    func messages(_ level: Logger.Level) -> [String] {
        kept.withLockedValue { $0.filter { $0.level == level }.map { $0.text } }
    }
}
