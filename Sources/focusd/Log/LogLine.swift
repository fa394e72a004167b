import Logging

/// One line of the log, before it is written: bounded, and in one line whatever its texts hold.
struct LogLine: Sendable {
    /// Bytes that a line has at most, its end among them. Linux writes as many to a pipe in one piece (PIPE_BUF), so
    /// lines of several writers do not mix.
    static let limit = 4_096
    /// Bytes of the message, of a key and of a value, as they are written.
    static let (messageLimit, keyLimit, valueLimit) = (1_024, 64, 1_024)
    /// The keys of every line; a field of such a name gets a `_` behind it.
    static let ownKeys: Set<String> = ["time", "level", "thread", "message", "truncated"]

    /// Microseconds since 1970.
    var time: Int64
    var level: Logger.Level
    /// Which of the server's threads says it: `lane-0`, `projector-1`, …
    var thread: String
    var message: String
    /// In the order of their keys.
    var fields: [(key: String, value: Value)]

    enum Value: Hashable, Sendable {
        case text(String)
        /// A number or a truth value, as JSON writes it.
        case literal(String)
    }

    init(time: Int64, level: Logger.Level, thread: String, message: String, metadata: Logger.Metadata) {
        (self.time, self.level, self.thread, self.message) = (time, level, thread, message)
        fields = metadata.sorted { $0.key < $1.key }.map { key, value in
            (Self.ownKeys.contains(key) ? key + "_" : key, Value(value))
        }
    }
}

extension LogLine.Value {
    init(_ value: Logger.Metadata.Value) {
        switch value {
        case .stringConvertible(let value):
            switch value {
            case let number as any FixedWidthInteger: self = .literal("\(number)")
            case let number as Double where number.isFinite: self = .literal("\(number)")
            case let truth as Bool: self = .literal("\(truth)")
            default: self = .text(value.description)
            }
        case .string(let text): self = .text(text)
        case .array, .dictionary: self = .text(value.description)
        }
    }
}
