import CJemalloc
import Logging

/// jemalloc, from which all of the program's memory comes, as it is linked before glibc. glibc's own allocator keeps
/// freed memory between pieces that are in use, for ever or until it is told to look through all of it, while every
/// thread waits.
enum Allocator {
    /// From now on freed memory goes back to the system within some ten seconds, bit by bit, and on a thread of the
    /// allocator's own (jemalloc(3), `background_thread`). Else whoever allocates would do that now and then, and an idle
    /// server would keep what it once needed.
    static func giveBackUnused(_ logger: Logger) {
        var isOn = true
        let failure = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
        guard failure != 0 else { return }
        logger.warning(
            "freed memory is given back late: the allocator has no thread for it", metadata: ["errno": "\(failure)"])
    }
}
