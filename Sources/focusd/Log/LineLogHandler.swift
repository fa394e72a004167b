import Logging
import ServiceLifecycle

/// What swift-log calls: hands each line to the program's output.
struct LineLogHandler: LogHandler {
    let output: LogOutput
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ output: LogOutput) { self.output = output }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = event.metadata.map { own in metadata.merging(own) { $1 } } ?? metadata
        output.log(event.level, event.message.description, fields)
    }
}

extension Logger {
    init(level: Level, to output: LogOutput) {
        self.init(label: "focusd") { _ in LineLogHandler(output) }
        logLevel = level
    }
}

/// Tells what was folded when no line comes that would have it told.
struct FloodWatch: Service {
    private static let interval = Duration.seconds(1)

    let output: LogOutput

    /// Looks until graceful shutdown.
    func run() async throws {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
            output.endWindows()
        }
    }
}
