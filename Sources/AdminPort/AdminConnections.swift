import NIOConcurrencyHelpers
import NIOCore

/// The open connections, of which there are at most `limit`: one more has the oldest closed.
final class AdminConnections: Sendable {
    private let limit: Int
    /// From the oldest to the newest.
    private let open: NIOLockedValueBox<[any Channel]> = NIOLockedValueBox([])

    init(limit: Int) { self.limit = limit }

    /// Counts the channel until it is closed.
    func add(_ channel: any Channel) {
        let oldest: (any Channel)? = open.withLockedValue { open in
            open.append(channel)
            return open.count > limit ? open.removeFirst() : nil
        }
        oldest?.close(promise: nil)
        channel.closeFuture.whenComplete { [self] _ in
            open.withLockedValue { open in open.removeAll { $0 === channel } }
        }
    }
}
