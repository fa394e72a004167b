import Logging
import NIOConcurrencyHelpers

/// Keeps what is logged, for a test to read.
public struct KeptLog: LogHandler {
    private let kept = NIOLockedValueBox<[(level: Logger.Level, text: String)]>([])
    public var metadata: Logger.Metadata = [:]
    public var logLevel = Logger.Level.info

    public init() {}

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        kept.withLockedValue { $0.append((event.level, "\(event.message)")) }
    }

    /// The messages of a level so far.
    public func messages(_ level: Logger.Level) -> [String] {
        kept.withLockedValue { $0.filter { $0.level == level }.map { $0.text } }
    }
}
