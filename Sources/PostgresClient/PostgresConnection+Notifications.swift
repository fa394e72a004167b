import CLibPQ
import Foundation

/// A NOTIFY that reached a LISTENing connection. Only a hint: the payload is not data.
public struct PostgresNotification: Sendable, Hashable {
    public let channel: String
    public let payload: String
    /// Process id of the backend that sent it.
    public let senderPID: Int32
}

extension PostgresConnection {
    /// Waits until notifications are there and returns all of them; none when the time passed.
    /// Call it outside transactions: the server delivers between them.
    /// - Parameter timeoutMilliseconds: 0 only looks; negative waits without limit.
    public func waitForNotifications(timeoutMilliseconds: Int) throws(PostgresError) -> [PostgresNotification] {
        try requireUsable()
        let limit: Duration? = timeoutMilliseconds < 0 ? nil : .milliseconds(timeoutMilliseconds)
        let deadline = limit.map { ContinuousClock.now.advanced(by: $0) }
        while true {
            // Some may have come in with the answers of earlier statements.
            let ready = dequeueNotifications()
            if !ready.isEmpty { return ready }
            let left = deadline.map { ContinuousClock.now.duration(to: $0) }
            switch poll(POLLIN, limit: left.map { max($0, .zero) }) {
            case .ready: break
            case .silent: return []
            case .interrupted: throw PostgresError(kind: .connectionLost, message: "interrupted")
            }
            guard PQconsumeInput(handle.pointer) == 1 else { throw sendFailure() }
        }
    }

    private func dequeueNotifications() -> [PostgresNotification] {
        var taken: [PostgresNotification] = []
        while let notification = PQnotifies(handle.pointer) {
            defer { PQfreemem(notification) }
            taken.append(
                PostgresNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra),
                    senderPID: notification.pointee.be_pid))
        }
        return taken
    }
}
