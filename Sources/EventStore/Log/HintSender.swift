import FocusCore
import PostgresClient

/// Tells other servers of appends, on a direct connection of its own: made when needed, made again after a failure.
/// Confined to the thread that uses it.
public final class HintSender {
    private let configuration: StoreConfiguration
    private var current: PostgresConnection?

    public init(_ configuration: StoreConfiguration) { self.configuration = configuration }

    /// Says that something was appended to these partitions. Throws `PostgresError` when nobody was told: a lost hint
    /// costs others a poll.
    public func send(_ partitions: Set<Partition>) throws {
        let connection = try usable()
        do {
            try LogNotification.send(partitions, on: connection)
        } catch {
            close()
            throw error
        }
    }

    /// The id of the backend process that PostgreSQL names as the sender of these notifications; nil while not
    /// connected.
    public var backendPID: Int32? { current?.backendPID }

    public func close() {
        current?.close()
        current = nil
    }

    private func usable() throws -> PostgresConnection {
        if let current, current.isUsable { return current }
        close()
        let made = try configuration.connect()
        try LogNotification.prepareSending(on: made)
        current = made
        return made
    }
}
