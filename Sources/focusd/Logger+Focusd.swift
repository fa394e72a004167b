import Logging

/// Structured lines on stderr: stdout is for what a script reads.
func makeLogger(level: Logger.Level) -> Logger {
    var logger = Logger(label: "focusd") { VisibleLogHandler(StreamLogHandler.standardError(label: $0)) }
    logger.logLevel = level
    return logger
}
