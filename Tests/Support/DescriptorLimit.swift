import Glibc

/// The limit of files that this process may have open. For exit tests, whose processes are their own; they stand in
/// modules that start no clusters, because Testing waits for its processes in vain beside a child that nobody reaps.
public enum DescriptorLimit {
    /// Sets the limit. Files that are open stay.
    public static func set(_ count: UInt) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(count, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Leaves room for one more file.
    public static func leaveOne() {
        let next = dup(0)
        close(next)
        set(UInt(next + 1))
    }
}
