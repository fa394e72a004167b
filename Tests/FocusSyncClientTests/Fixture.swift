import FocusCore
import FocusSyncClient
import Foundation

/// Fixtures that the tests of this module share.
enum Fixture {
    static let log = LogID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    static let clock = Timestamp(microseconds: 1_800_000_000_000_000)

    static func cursor(_ version: Int64) -> Cursor {
        let event = EventID(
            UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, UInt8(truncatingIfNeeded: version))))
        return Cursor(log: log, version: Version(version), event: event, view: .max - 5)
    }

    /// The reading of a Welcome that the server sent at `clock`.
    /// - Parameter latest: microseconds that the Welcome may have been under way.
    static func reading(latest: Int64 = 0, clock own: Timestamp) -> ClockReading {
        ClockReading(serverTime: clock, latest: clock.adding(microseconds: latest), clock: own)
    }

    static func owner(_ scope: Scope = .system) -> DeviceOwner {
        DeviceOwner(user: UserID(log.uuid), device: DeviceID(log.uuid), scope: scope)
    }

    static func user(_ number: Int) -> UserID {
        UserID(UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, UInt8(number))))
    }

    /// A client with a system token that cannot connect: nothing listens on port 1, and only root could.
    static func unconnectedClient(
        _ directory: TemporaryDirectory, _ adjust: (inout SyncClientConfiguration) -> Void = { _ in }
    ) throws -> SyncClient {
        let claims = Data(#"{"sub":"\#(log)","device":"\#(log)","scope":"system"}"#.utf8).base64EncodedString()
        var configuration = SyncClientConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: 1), security: .plaintext,
            token: "e30.\(claims.replacingOccurrences(of: "=", with: "")).c2ln")
        adjust(&configuration)
        return try SyncClient(configuration: configuration, store: DeviceStore(directory: directory.path))
    }

    static func draft(_ text: String = "x", bytes: Int = 8) -> EventDraft {
        EventDraft(type: "badge.cleared", app: "com.example.\(text)", payload: [UInt8](repeating: 1, count: bytes))
    }

    static func row(_ key: String, _ value: [UInt8]?, version: Int64, in collection: RowCollection = .notifications)
        -> DeltaRow
    {
        DeltaRow(
            key: RowKey(collection, app: AppID("com.example.chat"), key: key), version: Version(version), value: value)
    }
}

/// A directory for one test, removed with this object.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/focus-sync-client-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) stays: \(error)")
        }
    }
}
