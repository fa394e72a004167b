import CMalloc
import Logging
import ServiceLifecycle

/// Gives memory that is not in use back to the system. The allocator keeps what is freed between pieces that are in
/// use, so a server would stay as large for ever as it once was: after many large users came and went, for example.
struct FreedMemory: Service {
    private static let interval = Duration.seconds(30)
    /// Less than this is soon needed again.
    private static let leastBytes = 32 << 20

    let logger: Logger

    /// Looks until graceful shutdown.
    func run() async throws {
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
            let free = mallinfo2().fordblks
            guard free > Self.leastBytes else { continue }
            _ = malloc_trim(0)
            logger.debug("freed memory given back", metadata: ["bytes": "\(free)"])
        }
    }
}
