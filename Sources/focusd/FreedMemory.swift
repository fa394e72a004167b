import CMalloc
import Foundation
import Logging
import ServiceLifecycle

/// Gives memory that is not in use back to the system. The allocator keeps what is freed between pieces that are in
/// use, so a server would stay as large for ever as it once was: after many large users came and went, for example.
struct FreedMemory: Service {
    /// A look walks all free pieces of each arena under its lock, which may take some hundred milliseconds.
    private static let interval = Duration.seconds(120)

    let logger: Logger

    /// Looks until graceful shutdown.
    func run() async throws {
        var unused = UnusedMemory()
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: Self.interval) }
            // Free bytes say nothing: those that were given back count as free too.
            let (memory, resident) = (mallinfo2(), Self.residentBytes())
            guard unused.look(resident: resident, used: Int(memory.uordblks + memory.hblkhd)) else { continue }
            _ = malloc_trim(0)
            logger.debug("freed memory given back", metadata: ["bytes": "\(resident - Self.residentBytes())"])
        }
    }

    /// The bytes of the program's own pages that are in memory: what is resident without what is shared with files
    /// (proc(5), `statm`); zero where that cannot be read.
    private static func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").map {
            Int($0)
        }
        guard let pages, pages.count > 2, let resident = pages[1], let shared = pages[2] else { return 0 }
        return (resident - shared) * sysconf(Int32(_SC_PAGESIZE))
    }
}
