import CLibPQ
import FocusWire
import Foundation

@testable import EventStore
@testable import FocusCore
@testable import PostgresClient

/// Fuzzes what a damaged database, or another program's, may hold: rows and events as the load statement returns them,
/// values of any type, tuples of COPY. Each record holds a byte that selects one of these, and its arguments. Invalid
/// data must give an error; a state that loads must accept events like any other.
func fuzzStored(_ input: FuzzInput) {
    var input = input
    var stage = StoredStage()
    while var record = input.next() { stage.step(&record) }
    stage.load()
}

private struct StoredStage {
    private static let user = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
    private static let apps = ["com.example.messages", "com.example.mail", "a", "", "not an app"]
    private static let now = Timestamp(microseconds: 1_750_000_000_000_000)
    private static let types: [Oid] = [
        TypeOID.bool, TypeOID.bytea, TypeOID.int2, TypeOID.int4, TypeOID.int8, TypeOID.text, TypeOID.oid,
        TypeOID.float4, TypeOID.float8, TypeOID.timestamptz, TypeOID.uuid, TypeOID.xid8, TypeOID.boolArray,
        TypeOID.byteaArray, TypeOID.int2Array, TypeOID.int4Array, TypeOID.int8Array, TypeOID.textArray,
        TypeOID.float8Array, TypeOID.timestamptzArray, TypeOID.uuidArray, TypeOID.inferred, 20_000,
    ]

    /// Lines of the load statement's answer; nil is NULL.
    private var lines: [[[UInt8]?]] = []
    private var version: Int64 = 0

    mutating func step(_ record: inout FuzzRecord) {
        switch record.byte() % 5 {
        case 0: row(&record)
        case 1: event(&record)
        case 2:
            load()
            lines = []
        case 3: value(Self.types[Int(record.byte()) % Self.types.count], record.bytes)
        default: copied(record.bytes)
        }
    }

    // MARK: The load statement

    /// A row line. The record holds: collection, app, length of the key, version, whether the row is deleted, length of
    /// the memo; then key, memo, value.
    private mutating func row(_ record: inout FuzzRecord) {
        let collections = RowCollection.allCases
        let collection = collections[Int(record.byte()) % collections.count].rawValue
        let app = Self.apps[Int(record.byte()) % Self.apps.count]
        let (keyLength, rowVersion, flags, memoLength) = (
            Int(record.byte()), Int64(record.byte()), record.byte(), record.short()
        )
        version = max(version, rowVersion)
        let bytes = record.bytes
        let key = Array(bytes.prefix(keyLength))
        let rest = bytes.dropFirst(keyLength)
        var line = line(collection)
        line[LoadColumn.app] = Array(app.utf8)
        line[LoadColumn.key] = key
        // Set for a key that PostgreSQL's `text` cannot hold.
        line[LoadColumn.keyBytes] = flags & 2 == 0 ? nil : key
        line[LoadColumn.version] = Self.bytes(rowVersion)
        line[LoadColumn.isDeleted] = [flags & 1]
        line[LoadColumn.memo] = Array(rest.prefix(memoLength))
        line[LoadColumn.value] = Array(rest.dropFirst(memoLength))
        lines.append(line)
    }

    /// An event line. The record holds: type, app, schema version, encoding, device; then the payload.
    private mutating func event(_ record: inout FuzzRecord) {
        let types = EventType.allCases
        var line = line(LoadColumn.eventKind)
        line[LoadColumn.key] = Array(types[Int(record.byte()) % types.count].rawValue.utf8)
        let app = Self.apps[Int(record.byte()) % Self.apps.count]
        line[LoadColumn.app] = app.isEmpty ? nil : Array(app.utf8)
        line[LoadColumn.schemaVersion] = Self.bytes(Int32(record.byte()))
        line[LoadColumn.encoding] = Self.bytes(Int16(record.byte() % 3))
        line[LoadColumn.device] = Array(repeating: record.byte() % 3, count: 16)
        version += 1
        line[LoadColumn.version] = Self.bytes(version)
        line[LoadColumn.sequence] = Self.bytes(version)
        line[LoadColumn.value] = record.bytes
        lines.append(line)
    }

    /// A line with a valid value in each column that must not be NULL.
    private func line(_ kind: String) -> [[UInt8]?] {
        let number = Self.bytes(Int64(1))
        let uuid = withUnsafeBytes(of: Self.user.uuid) { Array($0) }
        var line = Array(repeating: [UInt8]?.some([]), count: LoadColumn.encoding + 1)
        line[LoadColumn.kind] = Array(kind.utf8)
        for column in [LoadColumn.user, LoadColumn.device, LoadColumn.event] { line[column] = uuid }
        line[LoadColumn.partition] = Self.bytes(Int32(0))
        for column in [
            LoadColumn.version, LoadColumn.offset, LoadColumn.incarnation, LoadColumn.sequence, LoadColumn.occurredAt,
            LoadColumn.recordedAt,
        ] { line[column] = number }
        line[LoadColumn.schemaVersion] = Self.bytes(Int32(1))
        line[LoadColumn.encoding] = Self.bytes(Int16(0))
        line[LoadColumn.isDeleted] = [0]
        return line
    }

    func load() {
        let events = lines.filter { $0[LoadColumn.kind] == Array(LoadColumn.eventKind.utf8) }.count
        var head = line(LoadColumn.headKind)
        head[LoadColumn.version] = Self.bytes(version - Int64(events))
        let result = Self.result([head] + lines, type: TypeOID.inferred)
        guard var stored = try? StoredUser(result, 0, tail: LoadTail(events: 1_000, bytes: .max)) else {
            broken("a head does not read")
        }
        for row in 0..<lines.count {
            do { try stored.append(result, row + 1) } catch { return }
        }
        guard let loaded = try? stored.folded(.current) else { return }
        exercise(loaded.state)
    }

    /// Asks everything of a state that the server asks of a user's.
    private func exercise(_ loaded: UserState) {
        var state = loaded
        _ = state.dueAt
        let view = View(scope: .system, device: DeviceID(Self.user), deviceClass: .watch)
        _ = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: 4_096)
        let device = DeviceID(Self.user)
        let app = AppID("com.example.messages")
        let bodies: [EventBody] = [
            .appRegistered(AppRegistered(name: "a", build: 1, capabilities: [.communication])),
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)),
            .notificationPosted(NotificationPosted(notificationID: "n", body: "b")), .badgeCleared,
            .focusChanged(FocusChanged(focusID: "f", isActive: true)),
        ]
        for body in bodies {
            var event = Event(
                version: state.version.next, device: device, incarnation: Incarnation(1),
                sequence: state.lastSequence(of: device, incarnation: Incarnation(1)).next, id: EventID(UUID()),
                app: app,
                occurredAt: Self.now, recordedAt: Self.now, body: body)
            if case .focusChanged = body { event.app = nil }
            guard state.validate(event, scope: .system) == nil else { continue }
            guard (try? state.apply(event)) != nil else { return }
        }
        if let due = state.dueEvent(at: Self.now) { _ = due.body.type }
    }

    // MARK: Values

    /// Reads the bytes as every type; each read must give a value or an error.
    private func value(_ type: Oid, _ bytes: [UInt8]) {
        let result = Self.result([[bytes], [nil]], type: type)
        for row in -1...2 {
            for column in -1...1 {
                _ = try? result.bool(row: row, column: column)
                _ = try? result.int2(row: row, column: column)
                _ = try? result.int4(row: row, column: column)
                _ = try? result.int8(row: row, column: column)
                _ = try? result.float8(row: row, column: column)
                _ = try? result.text(row: row, column: column)
                _ = try? result.isText(row: row, column: column, "text")
                _ = try? result.uuid(row: row, column: column)
                _ = try? result.bytes(row: row, column: column)
                _ = try? result.timestamptz(row: row, column: column)
                _ = try? result.int2Array(row: row, column: column)
                _ = try? result.int4Array(row: row, column: column)
                _ = try? result.int8Array(row: row, column: column)
                _ = try? result.float8Array(row: row, column: column)
                _ = try? result.boolArray(row: row, column: column)
                _ = try? result.textArray(row: row, column: column)
                _ = try? result.byteaArray(row: row, column: column)
                _ = try? result.uuidArray(row: row, column: column)
                _ = try? result.timestamptzArray(row: row, column: column)
            }
        }
    }

    /// Reads the bytes as the first message of a binary COPY stream, and the rows in it.
    private func copied(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var framing = CopyFraming(isBinary: true)
            _ = try? framing.row(in: bytes)
            for read in 0..<4 {
                guard var row = try? CopyRow(bytes) else { return }
                do {
                    for field in 0..<min(100, max(0, row.fieldCount)) {
                        switch (field + read) % 8 {
                        case 0: _ = try row.int8()
                        case 1: _ = try row.int4()
                        case 2: _ = try row.int2()
                        case 3: _ = try row.uuid()
                        case 4: _ = try row.timestamptz()
                        case 5: _ = try row.text()
                        case 6: _ = try row.bytes()
                        default: _ = try row.next()
                        }
                    }
                } catch {
                    // Any error will do; only a trap is a finding.
                }
            }
        }
    }

    // MARK: Results

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// A binary result as libpq returns it.
    private static func result(_ lines: [[[UInt8]?]], type: Oid) -> PostgresResult {
        guard let pointer = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { broken("no memory") }
        let count = lines.first?.count ?? 0
        let name = strdup("c")
        defer { free(name) }
        var columns = Array(
            repeating: PGresAttDesc(
                name: name, tableid: 0, columnid: 0, format: 1, typid: type, typlen: -1, atttypmod: -1), count: count)
        check(PQsetResultAttrs(pointer, Int32(count), &columns) == 1, "no columns")
        for (row, line) in lines.enumerated() {
            for (column, value) in line.enumerated() {
                var bytes = (value ?? []).map { CChar(bitPattern: $0) } + [0]
                let length = value.map { Int32($0.count) } ?? -1
                check(PQsetvalue(pointer, Int32(row), Int32(column), &bytes, length) == 1, "no value")
            }
        }
        return PostgresResult(pointer)
    }
}
