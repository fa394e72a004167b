import FocusCore
import PostgresClient

extension LogReader {
    /// What the log has of a device incarnation, in order.
    /// - Parameter version: only events past this one of the user's stream, which bounds what is looked at.
    public func events(
        of user: UserID, partition: Partition, device: DeviceID, incarnation: Incarnation,
        sequences: ClosedRange<DeviceSequence>, after version: Version, on connection: PostgresConnection
    ) throws(PostgresError) -> [LoggedEvent] {
        let result = try connection.query(
            Queries.readDeviceEvents,
            [
                .int4(partition.rawValue), .uuid(user.uuid), .uuid(device.uuid), .int8(incarnation.rawValue),
                .int8(sequences.lowerBound.rawValue), .int8(sequences.upperBound.rawValue), .int8(version.rawValue),
            ])
        return try LoggedEvent.read(result)
    }
}

extension StoreConnection {
    public func events(
        of user: UserID, partition: Partition, device: DeviceID, incarnation: Incarnation,
        sequences: ClosedRange<DeviceSequence>, after version: Version
    ) throws -> [LoggedEvent] {
        try perform { connection in
            try LogReader().events(
                of: user, partition: partition, device: device, incarnation: incarnation, sequences: sequences,
                after: version, on: connection)
        }
    }
}
