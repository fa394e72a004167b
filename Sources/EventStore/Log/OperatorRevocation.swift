import FocusCore
import FocusWire
import Foundation
import PostgresClient

/// Revokes a device on the log itself (rule A3): no device of the user has to be at hand, and no bound holds.
///
/// Flow: the end of the user's stream → `device.revoked`, an event of the server's own, appended like any other →
/// running servers read it, and cut the device off.
public struct OperatorRevocation: Sendable {
    /// What became of it.
    public struct Outcome: Hashable, Sendable {
        /// The version of the event that revokes the device.
        public var version: Version
        /// Whether the device had been revoked before: then nothing was appended.
        public var wasRevoked: Bool
        /// How many events the user's stream had.
        public var eventsBefore: Int64
    }

    /// How many revocations are read at once.
    static let pageEvents: Int64 = 1_000

    private let user: UserID
    private let device: DeviceID

    public init(of device: DeviceID, user: UserID) { (self.device, self.user) = (device, user) }

    /// Returns after the commit. The user's state is not folded, so a user who cannot be loaded is no obstacle.
    ///
    /// Throws `PostgresError`, and `EventStoreError.noLog` when the log lacks the user's partition.
    public func run(_ store: StoreConfiguration, in log: LogIdentity) throws -> Outcome {
        let connection = StoreConnection(
            store.named("focusctl-revoke"), isStopping: { false }, onTrouble: { _ in })
        defer { connection.close() }
        let partition = log.partition(of: user)
        while true {
            let look = try connection.timedHeads(of: [partition])
            guard let head = look.heads.first else { throw EventStoreError.noLog }
            let end = try connection.performOnPostgres { try streamEnd(partition, on: $0) }
            if let version = end.revoked {
                // What can be read may not be on the synchronous standby yet (rule P1).
                try connection.confirm()
                return Outcome(version: version, wasRevoked: true, eventsBefore: end.version.rawValue)
            }
            let batch = batch(behind: head, end.version, end.sequence, at: look.time ?? head.lastRecordedAt)
            // Where somebody else was first, the stream may have gone on.
            guard case .committed? = try connection.append([batch])[partition] else { continue }
            tell(partition, store)
            return Outcome(version: end.version.next, wasRevoked: false, eventsBefore: end.version.rawValue)
        }
    }

    private func batch(
        behind head: PartitionHead, _ version: Version, _ sequence: DeviceSequence, at time: Timestamp
    ) -> PartitionAppend {
        let body = EventBody.deviceRevoked(DeviceRevoked(device: device))
        let time = max(time, head.lastRecordedAt)
        let event = Event(
            version: version.next, device: .server, incarnation: Incarnation(0), sequence: sequence.next,
            id: EventID(UUID()), app: nil, occurredAt: time, recordedAt: time, body: body)
        var batch = PartitionAppend(behind: head, events: [])
        batch.append(
            event, of: user, type: body.type, schemaVersion: FocusWire.payloadSchemaVersion,
            payload: PayloadCodec.encode(body))
        return batch
    }

    /// Wakes the servers. They look at the heads every 250 ms too, so a hint that is not sent costs no more than that.
    private func tell(_ partition: Partition, _ store: StoreConfiguration) {
        let hints = HintSender(store)
        try? hints.send([partition])
        hints.close()
    }

    /// The end of the user's stream, the last sequence of the server's events in it, and the version that revokes the
    /// device.
    private func streamEnd(
        _ partition: Partition, on connection: PostgresConnection
    ) throws -> (version: Version, sequence: DeviceSequence, revoked: Version?) {
        let place: [PostgresValue] = [.int4(partition.rawValue), .uuid(user.uuid)]
        let revoked = try revocation(place, on: connection)
        let end = try connection.query(Queries.findStreamEnd, place)
        return (Version(try end.int8(row: 0, column: 0)), DeviceSequence(try end.int8(row: 0, column: 1)), revoked)
    }

    /// The version that revokes the device. Whoever holds a device of the user revokes others as often as they like, so
    /// no more than a page is in memory.
    private func revocation(_ place: [PostgresValue], on connection: PostgresConnection) throws -> Version? {
        var last = Version.zero
        while true {
            let page = try LoggedEvent.read(
                connection.query(
                    Queries.findUserEvents,
                    place + [
                        .text(EventType.deviceRevoked.rawValue), .int8(last.rawValue), .int8(Self.pageEvents),
                    ]))
            let revoked = page.first {
                if case .deviceRevoked(let body)? = try? $0.decoded().body { body.device == device } else { false }
            }
            if let revoked { return revoked.version }
            guard page.count == Self.pageEvents, let end = page.last else { return nil }
            last = end.version
        }
    }
}
