import FocusCore
import Foundation
import PostgresClient
import Support

@testable import EventStore

/// A database as the last program without incarnations in the log left it (migration 15, format 1), with a log that
/// this program made: `Schema/samples/log_v1.csv`.
///
/// The log comes from that program's `focusd serve --plaintext` with four partitions and its own cluster, and from
/// devices that talked to it over the wire. Columns: partition, offset, user, version, device, incarnation, sequence,
/// event id, type, app, occurred_at and recorded_at (µs), encoding, payload (hexadecimal). One device of the first user
/// has everything that the program allowed:
///   - three scopes: `system` (incarnations 1000 to 1003, 4000, 9000), `app:a` (2000, 5000…, 9001), `app:b` (3000,
///     6000…, 9002), and one incarnation that two scopes used (7);
///   - 1001 sends 266 of 1000's events again, past the 256 that were remembered: these are in the log twice;
///   - 1002 and 1003 repeat events that were remembered, including refused ones: `already_logged`;
///   - `device.eventsLost`, and events re-offered without a receipt, in 1001;
///   - 520 incarnations, so that the first ones were forgotten and began again at 1: 1000 twice by events, 3000 by
///     events re-offered under their receipt, 2000, 5000…5002 and 1001 by `device.eventsLost`;
///   - a Focus that expired; refusals.
///
/// A second user has an ordinary life.
struct EarlierLog {
    static let user = UserID(text: "0190a6b0-1c2d-7e3f-8a4b-0000000000a1")!
    static let other = UserID(text: "0190a6b0-1c2d-7e3f-8a4b-0000000000b1")!
    static let device = DeviceID(text: "0190a6b0-1c2d-7e3f-8a4b-0000000000d1")!
    static let partitions: Int32 = 4

    let conninfo: String
    /// The events in the order of the file: by partition and offset.
    let events: [LoggedEvent]

    /// On a thread of its own: making it takes a second or two.
    static func make() async throws -> EarlierLog { try await onThread { try EarlierLog() } }

    private init() throws {
        conninfo = try TestCluster.shared.makeDatabase()
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        events = try text.split(separator: "\n").map(LoggedEvent.init(line:))
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { connection.close() }
        _ = try Migrator(Array(Migrations.all.prefix(15))).applyAll(on: connection)
        try connection.execute(Self.identity)
        _ = try connection.query(Statement(name: "test_earlier_log", sql: Self.fill), [.text(text)])
        try connection.execute(Self.readModel)
    }

    /// The events of an incarnation of the device, in the order of the log.
    func events(of incarnation: Int64) -> [LoggedEvent] {
        events.filter { $0.device == Self.device && $0.incarnation == Incarnation(incarnation) }
    }

    /// The outcome that the device was told when the event first arrived.
    func outcome(of event: LoggedEvent) throws -> Outcome {
        guard let refused = try event.refused else { return .accepted }
        guard refused.code == RefusalCode.alreadyLogged.rawValue else {
            return .refused(code: refused.code, message: refused.message)
        }
        guard let first = events.first(where: { $0.user == event.user && $0.id == event.id }),
            first.offset < event.offset
        else { throw EventStoreError.corrupt("a repeat of nothing") }
        return try outcome(of: first)
    }

    private static let file = Checkout.file("Schema/samples/log_v1.csv")

    private static let identity = """
        INSERT INTO log (log_id, partitions, hash, format)
        VALUES ('78db2154-c236-4e55-93f6-6734bb9a4c84', \(partitions), '\(EventStore.partitionHash)', 1)
        """

    private static let fill = """
        INSERT INTO events (
            partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
            occurred_at, recorded_at, schema_version, encoding, payload
        )
        SELECT
            f[1]::integer, f[2]::bigint, f[3]::uuid, f[4]::bigint, f[5]::uuid, f[6]::bigint, f[7]::bigint, f[8]::uuid,
            f[9]::event_type, nullif(f[10], ''), timestamptz 'epoch' + f[11]::bigint * interval '1 microsecond',
            timestamptz 'epoch' + f[12]::bigint * interval '1 microsecond', 1, f[13]::smallint, decode(f[14], 'hex')
        FROM (SELECT string_to_array(line, ',') FROM regexp_split_to_table($1, E'\\n') AS line WHERE line <> '') AS s (f)
        """

    /// A read model of fold 2 that is at the log's end: its users' versions come from that fold, and it has a row that
    /// no fold of this program makes.
    private static let readModel = """
        INSERT INTO log_partitions (partition, next_offset, last_recorded_at)
        SELECT p, count(e.log_offset), coalesce(max(e.recorded_at), timestamptz 'epoch')
        FROM generate_series(0, \(partitions - 1)) AS p LEFT JOIN events e ON e.partition = p GROUP BY p;
        INSERT INTO generations (generation, fold_version) VALUES (1, 2);
        INSERT INTO read_1.checkpoints (partition, log_offset) SELECT partition, next_offset FROM log_partitions;
        INSERT INTO read_1.users (partition, user_id, version)
        SELECT partition, user_id, max(version) FROM events GROUP BY partition, user_id;
        INSERT INTO read_1.badges (partition, user_id, app, key, version, deleted, value, memo)
        SELECT DISTINCT partition, user_id, 'a', '', 9, false, 'x'::bytea, ''::bytea FROM events
        """
}

extension LoggedEvent {
    fileprivate init(line: Substring) throws {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 14, let partition = Int32(fields[0]), let offset = Int64(fields[1]),
            let user = UserID(text: fields[2]), let version = Int64(fields[3]), let device = DeviceID(text: fields[4]),
            let incarnation = Int64(fields[5]), let sequence = Int64(fields[6]), let id = EventID(text: fields[7]),
            let occurredAt = Int64(fields[10]), let recordedAt = Int64(fields[11]), let encoding = Int16(fields[12])
        else { throw EventStoreError.corrupt("not a line of the sample: \(line)") }
        var payload: [UInt8] = []
        var hex = fields[13][...]
        while !hex.isEmpty {
            guard let byte = UInt8(hex.prefix(2), radix: 16) else { throw EventStoreError.corrupt("not hexadecimal") }
            payload.append(byte)
            hex = hex.dropFirst(2)
        }
        self.init(
            partition: Partition(partition), offset: LogOffset(offset), user: user, version: Version(version),
            device: device, incarnation: Incarnation(incarnation), sequence: DeviceSequence(sequence), id: id,
            type: fields[8], app: AppID(fields[9]), occurredAt: Timestamp(microseconds: occurredAt),
            recordedAt: Timestamp(microseconds: recordedAt), schemaVersion: 1, encoding: encoding, payload: payload)
    }

    /// Nil if the event was accepted.
    var refused: EventRefused? {
        get throws {
            guard case .eventRefused(let refused) = try decoded().body else { return nil }
            return refused
        }
    }

    /// The envelope as the device sends it again; the log does not hold the payload of a refused event.
    var envelope: Envelope {
        get throws {
            let refused = try refused
            return Envelope(
                id: id, type: refused?.type ?? type, app: app?.rawValue, occurredAt: occurredAt, schemaVersion: 1,
                payload: refused == nil ? payload : [])
        }
    }
}
