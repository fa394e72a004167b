import Answers
import Logging

/// Writes control characters out before another handler logs them. Lines hold texts of devices and of PostgreSQL: a line
/// break in one of them would begin a line of its author's own, and an escape would move the reader's cursor.
struct VisibleLogHandler<Inner: LogHandler>: LogHandler {
    private var inner: Inner

    init(_ inner: Inner) { self.inner = inner }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = Self.visible(newValue) }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue.map(Self.visible) }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(VisibleText.of(event.message.description))"
        event.metadata = event.metadata.map { Self.visible($0) }
        inner.log(event: event)
    }

    private static func visible(_ metadata: Logger.Metadata) -> Logger.Metadata {
        metadata.reduce(into: [:]) { $0[VisibleText.of($1.key)] = visible($1.value) }
    }

    private static func visible(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        switch value {
        case .string(let text): .string(VisibleText.of(text))
        case .stringConvertible(let value): .string(VisibleText.of(value.description))
        case .array(let values): .array(values.map { visible($0) })
        case .dictionary(let values): .dictionary(visible(values))
        }
    }
}
