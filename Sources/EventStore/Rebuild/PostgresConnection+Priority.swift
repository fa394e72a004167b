import Foundation
import PostgresClient

extension PostgresConnection {
    /// Lowers the priority of this session's backend process, which runs on this machine, by `niceness` (nice(1)).
    /// Where we may not, as with another user's process, it stays as it is.
    func lowerPriority(_ niceness: Int32) {
        let (kind, process) = (__priority_which_t(PRIO_PROCESS.rawValue), id_t(backendPID))
        errno = 0
        let now = getpriority(kind, process)
        guard errno == 0 else { return }
        _ = setpriority(kind, process, min(19, now + niceness))
    }
}
