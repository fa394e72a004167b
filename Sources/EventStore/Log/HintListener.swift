import FocusCore
import PostgresClient

/// Hears of other servers' appends, on a direct connection of its own: made when needed, made again after a failure.
/// Confined to the thread that uses it.
public final class HintListener {
    /// Where something may have been appended. Only a hint: the heads say what was.
    public enum Heard: Hashable, Sendable {
        case nothing
        case partitions(Set<Partition>)
        /// Any partition: the connection is new and may have missed notifications, or a payload does not name its
        /// partitions.
        case any
    }

    private let configuration: StoreConfiguration
    private var current: PostgresConnection?

    public init(_ configuration: StoreConfiguration) { self.configuration = configuration }

    /// Waits at most `milliseconds` for notifications. Throws `PostgresError` when there is no connection.
    /// - Parameter sender: notifications of this backend process say nothing new.
    public func next(within milliseconds: Int, ignoring sender: Int32?) throws -> Heard {
        guard let connection = current, connection.isUsable else {
            try connect()
            return .any
        }
        do {
            let heard = try connection.waitForNotifications(timeoutMilliseconds: milliseconds)
            return Self.partitions(of: heard.filter { $0.senderPID != sender }.map(\.payload))
        } catch {
            close()
            throw error
        }
    }

    public func close() {
        current?.close()
        current = nil
    }

    private func connect() throws {
        close()
        let made = try configuration.connect()
        try LogNotification.listen(on: made)
        current = made
    }

    /// An empty payload means any partition (`LogNotification`); so does one that holds anything but partitions'
    /// numbers.
    static func partitions(of payloads: [String]) -> Heard {
        var partitions: Set<Partition> = []
        for payload in payloads {
            for number in payload.split(separator: ",", omittingEmptySubsequences: false) {
                guard let partition = Int32(number), partition >= 0 else { return .any }
                partitions.insert(Partition(partition))
            }
        }
        return partitions.isEmpty ? .nothing : .partitions(partitions)
    }
}
