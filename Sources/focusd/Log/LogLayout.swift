import ArgumentParser

/// How a line of the log is written.
enum LogLayout: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// For people: time, level, thread, message, and fields as `key=value`.
    case text
    /// For programs: one JSON object (RFC 8259) a line.
    case json
}
