import EventStore
import FocusCore
import Foundation
import Logging
import PostgresClient
import Support
import Tokens

@testable import SyncServer

/// A real server in this process, with TCP on loopback and a database of its own.
struct TestServer: Sendable {
    static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    let server: SyncServer
    let port: Int
    let conninfo: String
    let log: LogIdentity
    /// The server's clock, which decides when tokens expire.
    let clock: ServerClock

    /// - Parameters:
    ///   - pool: how the server reaches the database, if not directly.
    ///   - migrates: false if nothing can be committed.
    static func start(
        partitions: Int32 = 4, conninfo existing: String? = nil, limits: SessionLimits = .patient,
        clock: ServerClock = .system, pool: PostgresConfiguration? = nil, rules: FoldRules = .current,
        log kept: KeptLog? = nil, migrates: Bool = true,
        configure: (inout SyncServerConfiguration) -> Void = { _ in }
    ) async throws -> TestServer {
        let (conninfo, log) = try await onThread { try prepare(existing, partitions, migrates) }
        let owner = PostgresConfiguration(conninfo: conninfo)
        var configuration = SyncServerConfiguration(host: "127.0.0.1", port: 0, security: .plaintext)
        configuration.limits = limits
        configuration.receiptKey = ReceiptKey(secret: secret)
        configure(&configuration)
        var logger = kept.map { kept in Logger(label: "test") { _ in kept } } ?? Logger(label: "test")
        logger.logLevel = kept == nil ? .critical : .info
        let server = try SyncServer(
            configuration: configuration, store: StoreConfiguration(pool ?? owner, rules: rules), log: log,
            tokens: TokenVerifier(.secret(secret)), logger: logger, clock: clock)
        let address = try await server.start()
        // When the server begins to listen for notifications it looks up the heads once more. With a clock that stands
        // still the test would take that for a look of another cause, so it waits until then.
        if pool == nil { try await awaiting("the server hears of others") { server.isListening } }
        return TestServer(server: server, port: address.port, conninfo: conninfo, log: log, clock: clock)
    }

    private static func prepare(_ existing: String?, _ partitions: Int32, _ migrates: Bool) throws -> (
        String, LogIdentity
    ) {
        let conninfo = try existing ?? TestCluster.shared.makeDatabase()
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { connection.close() }
        if migrates { _ = try Migrator.migrate(on: connection, partitions: partitions, dryRun: false) }
        return (conninfo, try LogIdentity.read(on: connection))
    }

    static func with<T>(
        partitions: Int32 = 4, limits: SessionLimits = .patient,
        configure: (inout SyncServerConfiguration) -> Void = { _ in }, _ body: (TestServer) async throws -> T
    ) async throws -> T {
        let server = try await start(partitions: partitions, limits: limits, configure: configure)
        do {
            let result = try await body(server)
            try await server.server.stop()
            return result
        } catch {
            try await server.server.stop()
            throw error
        }
    }

    static func token(
        _ user: UserID, _ device: DeviceID, _ scope: Scope = .system, expiresIn seconds: Double = 3_600,
        now: Timestamp = .now, deviceClass: DeviceClass? = nil, key: SigningKey = .secret(secret)
    ) throws -> String {
        let expiry = now.adding(microseconds: Int64(seconds * 1_000_000))
        return try key.token(
            TokenClaims(
                Identity(user: user, device: device, scope: scope, expiresAt: expiry, deviceClass: deviceClass)))
    }

    /// A connection to the server's database, as the owner.
    func database() throws -> PostgresConnection { try PostgresConnection(PostgresConfiguration(conninfo: conninfo)) }
}

/// Runs blocking code on a thread of its own: the cooperative pool has one thread for each core, and all tests that
/// wait for an answer need them.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { done in
        Thread { done.resume(with: Result { try body() }) }.start()
    }
}

extension SessionLimits {
    /// A loaded machine may take long for a Hello, and its database for an answer; tests of these limits set their own.
    static var patient: SessionLimits {
        var limits = SessionLimits()
        limits.helloMilliseconds = 120_000
        limits.unavailableMilliseconds = 120_000
        return limits
    }
}
