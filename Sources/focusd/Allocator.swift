import CJemalloc
import Foundation
import Logging

/// jemalloc, from which all of the program's memory comes, as it is linked before glibc. glibc's own allocator keeps
/// freed memory between pieces that are in use, for ever or until it is told to look through all of it, while every
/// thread waits.
enum Allocator {
    /// From now on freed memory goes back to the system within some ten seconds, bit by bit, and on a thread of the
    /// allocator's own (jemalloc(3), `background_thread`). Else whoever allocates would do that now and then, and an
    /// idle server would keep what it once needed.
    ///
    /// Where the system does not overcommit memory, or does not say so, memory is given back by taking it out of the
    /// process, piece by piece, and a process may have some 65,000 pieces (proc(5), `max_map_count`). There it is kept.
    static func giveBackUnused(_ logger: Logger) {
        let file = "/proc/sys/vm/overcommit_memory"
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        let overcommit = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard canGiveBack(overcommit: overcommit) else {
            _ = set("arenas.dirty_decay_ms", -1)
            _ = set("arena.\(allArenas).dirty_decay_ms", -1)
            let metadata: Logger.Metadata = ["file": "\(file)", "value": "\(overcommit ?? "cannot be read")"]
            return logger.notice("freed memory is kept: the system does not overcommit memory", metadata: metadata)
        }
        let failure = set("background_thread", true)
        guard failure != 0 else { return }
        logger.warning(
            "freed memory is given back late: the allocator has no thread for it", metadata: ["errno": "\(failure)"])
    }

    /// Whether freed memory goes back without being taken out of the process.
    /// - Parameter overcommit: what `/proc/sys/vm/overcommit_memory` says; nil: it cannot be read.
    static func canGiveBack(overcommit: String?) -> Bool { overcommit.map { $0 != "2" } ?? false }

    /// `MALLCTL_ARENAS_ALL`.
    private static let allArenas = 4_096

    private static func set<Value: BitwiseCopyable>(_ name: String, _ value: Value) -> Int32 {
        var value = value
        return mallctl(name, nil, nil, &value, MemoryLayout<Value>.size)
    }
}
