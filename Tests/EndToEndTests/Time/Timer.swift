import FocusCore
import PostgresClient
import Support

@testable import SyncServer

/// A timer event of the server, as it is logged.
struct Timer: Hashable, Sendable, CustomStringConvertible {
    var user: UserID
    var type: String
    var occurredAt: String
    var recordedAt: String
    var sequence: Int64

    var description: String { "\(sequence) \(type) due \(occurredAt), recorded \(recordedAt)" }
}

extension TestServer {
    static func start(at clock: TestClock, partitions: Int32 = 1, conninfo: String? = nil) async throws -> TestServer {
        try await start(partitions: partitions, conninfo: conninfo, clock: clock.clock)
    }

    /// The server's timer events so far.
    func timers() async throws -> [Timer] {
        try await onThread {
            let database = try self.database()
            defer { database.close() }
            return try Self.timers(database)
        }
    }

    /// Waits until the server has logged this many timer events, and returns them.
    func timers(_ count: Int) async throws -> [Timer] {
        try await onThread {
            let database = try self.database()
            defer { database.close() }
            try eventually("the server appended \(count) events") { try Self.timers(database).count >= count }
            return try Self.timers(database)
        }
    }

    private static func timers(_ database: PostgresConnection) throws -> [Timer] {
        let result = try database.query(TestStatement.timers)
        return try (0..<result.rowCount).map { row in
            Timer(
                user: UserID(try result.uuid(row: row, column: 0)), type: try result.text(row: row, column: 1),
                occurredAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 2)).iso,
                recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 3)).iso,
                sequence: try result.int8(row: row, column: 4))
        }
    }

    /// Waits until a statement returns this number.
    func wait(_ what: String, for statement: Statement, _ number: Int64) async throws {
        try await onThread {
            let database = try self.database()
            defer { database.close() }
            try eventually(what) { try database.query(statement).int8(row: 0, column: 0) == number }
        }
    }

    /// Appends events from a new device of the user, at the clock's time.
    func say(_ user: UserID, _ clock: TestClock, _ bodies: [(String?, EventBody)]) async throws {
        let (phone, _) = try await WireClient.open(self, user: user)
        try await phone.append(from: 1, bodies.map { .of($0.1, app: $0.0, at: clock.now) })
        var through = DeviceSequence.zero
        while through < DeviceSequence(Int64(bodies.count)) {
            let message = try await phone.next()
            if case .error(let error) = message { throw WireError.unexpected("\(error)") }
            guard case .appended(let appended) = message else { continue }
            guard appended.refused.isEmpty else { throw WireError.unexpected("refused: \(appended.refused)") }
            through = appended.throughSequence
        }
        await phone.close()
    }
}

extension EventBody {
    static func schedule(_ times: Set<Int32>, _ zone: String) -> [(String?, EventBody)] {
        [(nil, .deliveryScheduleChanged(DeliveryScheduleChanged(times: times, timeZone: zone)))]
    }

    /// A Focus that allows the app, so that its alerts wait for summaries all the same.
    static func focus(until iso: String) throws -> [(String?, EventBody)] {
        [
            (nil, .focusConfigured(FocusConfigured(focusID: "work", name: "Work", allowedApps: [AppID("a")!]))),
            (nil, .focusChanged(FocusChanged(focusID: "work", isActive: true, endsAt: try Timestamp(iso: iso)))),
        ]
    }

    /// An app in scheduled delivery.
    static let scheduledApp: [(String?, EventBody)] = [
        ("a", .appRegistered(AppRegistered(name: "A", build: 1))),
        ("a", .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized))),
        ("a", .notificationSettingsChanged(NotificationSettingsChanged(scheduledDelivery: .on))),
    ]

    static func post(_ id: String) -> [(String?, EventBody)] {
        [("a", .notificationPosted(NotificationPosted(notificationID: id, title: "t", body: "b")))]
    }
}
