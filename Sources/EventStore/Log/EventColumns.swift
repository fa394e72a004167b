import FocusCore
import Foundation
import PostgresClient

/// Events as one array per column, in the order in which `append_events` expects them.
struct EventColumns {
    private var partitions: [Int32] = []
    private var offsets: [Int64] = []
    private var users: [UUID] = []
    private var versions: [Int64] = []
    private var devices: [UUID] = []
    private var incarnations: [Int64] = []
    private var sequences: [Int64] = []
    private var ids: [UUID] = []
    private var types: [String?] = []
    private var apps: [String?] = []
    private var occurredAt: [Int64?] = []
    private var recordedAt: [Int64?] = []
    private var schemaVersions: [Int32] = []
    private var encodings: [Int16] = []
    private var payloads: [[UInt8]?] = []

    init(capacity: Int) {
        partitions.reserveCapacity(capacity)
        offsets.reserveCapacity(capacity)
        users.reserveCapacity(capacity)
        versions.reserveCapacity(capacity)
        devices.reserveCapacity(capacity)
        incarnations.reserveCapacity(capacity)
        sequences.reserveCapacity(capacity)
        ids.reserveCapacity(capacity)
        types.reserveCapacity(capacity)
        apps.reserveCapacity(capacity)
        occurredAt.reserveCapacity(capacity)
        recordedAt.reserveCapacity(capacity)
        schemaVersions.reserveCapacity(capacity)
        encodings.reserveCapacity(capacity)
        payloads.reserveCapacity(capacity)
    }

    mutating func append(_ event: LoggedEvent) {
        partitions.append(event.partition.rawValue)
        offsets.append(event.offset.rawValue)
        users.append(event.user.uuid)
        versions.append(event.version.rawValue)
        devices.append(event.device.uuid)
        incarnations.append(event.incarnation.rawValue)
        sequences.append(event.sequence.rawValue)
        ids.append(event.id.uuid)
        types.append(event.type)
        apps.append(event.app?.rawValue)
        occurredAt.append(event.occurredAt.stored.microseconds)
        recordedAt.append(event.recordedAt.microseconds)
        schemaVersions.append(event.schemaVersion)
        encodings.append(event.encoding)
        payloads.append(event.payload)
    }

    var parameters: [PostgresValue] {
        [
            .int4Array(partitions), .int8Array(offsets), .uuidArray(users), .int8Array(versions), .uuidArray(devices),
            .int8Array(incarnations), .int8Array(sequences), .uuidArray(ids), .textArray(types), .textArray(apps),
            .timestamptzArray(occurredAt), .timestamptzArray(recordedAt), .int4Array(schemaVersions),
            .int2Array(encodings), .byteaArray(payloads),
        ]
    }
}
