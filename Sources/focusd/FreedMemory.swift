import CMalloc
import Logging
import ServiceLifecycle

/// Gives memory that is not in use back to the system. The allocator keeps what is freed between pieces that are in
/// use, so a server would stay as large for ever as it once was: after many large users came and went, for example.
struct FreedMemory: Service {
    private static let interval = Duration.seconds(5)
    /// Less than this is soon needed again.
    private static let leastBytes = 32 << 20
    /// How often it is given back where it is little beside what is in use: every so many times that are looked at.
    private static let patience = 6
    /// What is not little: this part of what is in use.
    private static let share = 4

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
