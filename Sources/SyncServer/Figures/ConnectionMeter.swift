import FocusCore
import NIOConcurrencyHelpers

/// How connections were refused and ended since the server started.
public struct ConnectionCounts: Hashable, Sendable {
    /// Connections that ended before they had a session, by what they were told.
    public var refusedHellos: [ErrorCode: Int] = [:]
    /// GoAways, by their code.
    public var goAways: [ErrorCode: Int] = [:]
    /// Errors that sessions were told outside of answers to appends, by their code.
    public var errors: [ErrorCode: Int] = [:]
}

/// Counts for all connections of a server, on their event loops. None of it is counted for an event.
final class ConnectionMeter: Sendable {
    private let counted = NIOLockedValueBox(ConnectionCounts())

    var counts: ConnectionCounts { counted.withLockedValue { $0 } }

    /// Counts what a connection is told.
    /// - Parameter isOpen: whether it has a session.
    func says(_ message: ServerMessage, isOpen: Bool) {
        switch message {
        case .error(let error):
            counted.withLockedValue {
                if isOpen {
                    $0.errors[error.code, default: 0] += 1
                } else {
                    $0.refusedHellos[error.code, default: 0] += 1
                }
            }
        case .goAway(let goAway):
            counted.withLockedValue {
                $0.goAways[goAway.code, default: 0] += 1
                if !isOpen { $0.refusedHellos[goAway.code, default: 0] += 1 }
            }
        case .welcome, .appended, .recalled, .snapshotBegin, .snapshotRows, .snapshotEnd, .deltaBegin, .deltaRows,
            .deltaEnd, .delta, .checkpoint, .ping, .pong, .tokenExpiry, .fetched, .peerStatuses, .unknown:
            break
        }
    }
}
