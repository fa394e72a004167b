import Foundation
import PostgresClient

extension PostgresConnection {
    /// Lets the machine's other work go before this session's process at the server, which runs on this machine. Where we
    /// may not say so (another user's process), it stays as it is.
    func standBack(_ niceness: Int32) {
        let (kind, process) = (__priority_which_t(PRIO_PROCESS.rawValue), id_t(backendPID))
        errno = 0
        let now = getpriority(kind, process)
        guard errno == 0 else { return }
        _ = setpriority(kind, process, min(19, now + niceness))
    }
}
