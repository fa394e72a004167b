import CMalloc
import Logging
import ServiceLifecycle

/// Gives memory that is not in use back to the system. The allocator keeps what is freed between pieces that are in
/// use, so a server would stay as large for ever as it once was: after many large users came and went, for example.
struct FreedMemory: Service {
    private static let interval = Duration.seconds(5)
    /// Less than this is soon needed again.
    private static let leastBytes = 32 << 20
    /// Free memory is large when it is more than a quarter of what is in use. It is given back at the next look then.
    private static let share = 4
    /// Other free memory is given back at every sixth look: on a busy server it is soon taken again.
    private static let patience = 6

    let logger: Logger

    /// Looks until graceful shutdown.
    func run() async throws {
        var looks = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
            let memory = mallinfo2()
            let isLarge = memory.fordblks > (memory.uordblks + memory.hblkhd) / Self.share
            looks += 1
            guard memory.fordblks > Self.leastBytes, isLarge || looks >= Self.patience else { continue }
            looks = 0
            _ = malloc_trim(0)
            logger.debug("freed memory given back", metadata: ["bytes": "\(memory.fordblks)"])
        }
    }
}
