import Foundation

/// Core dumps. The process holds keys, tokens and what devices sent, and a core file would hold them for whoever finds
/// it.
enum CoreDumps {
    /// Ends them for this process, and for PostgreSQL's, which it starts.
    static func disable() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A program that the kernel hands dumps to (systemd-coredump) gets them whatever the limit is, but none of a
        // process that is not dumpable. Swift does not import `prctl`, because it takes any number of arguments.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let found = dlsym(nil, "prctl") else { return }
        let setDumpable: Int32 = 4
        _ = unsafeBitCast(found, to: Control.self)(setDumpable, 0, 0, 0, 0)
    }
}
