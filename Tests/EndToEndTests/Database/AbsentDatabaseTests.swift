import FocusCore
import PostgresClient
import Support
import Testing

@testable import Conformance
@testable import SyncServer

/// A database that cannot be reached.
@Suite("Absent database", .fewAtATime) struct AbsentDatabaseTests {
    private let user = UserID.random()

    private var limits: SessionLimits {
        var limits = SessionLimits.patient
        limits.unavailableMilliseconds = 2_000
        return limits
    }

    @Test("G2: without the database a Hello and an Append are answered `unavailable`, and taken when it is back")
    func unavailable() async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        let server = try await TestServer.start(
            partitions: 1, conninfo: direct, limits: limits, pool: PostgresConfiguration(conninfo: proxy.conninfo))
        let device = DeviceID.random()
        let (phone, _) = try await WireClient.open(server, user: user, device: device)
        try await phone.append(from: 1, Envelope.setUp("a"))
        _ = try await phone.appended()
        try await proxy.close()

        let tablet = try await WireClient.connect(port: server.port)
        try await tablet.hello(token: TestServer.token(user, .random()))
        let refused = try await tablet.next(within: 30)
        guard case .error(let error) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.code == .unavailable && error.retryAfterMilliseconds > 0)
        #expect(await tablet.isClosed())
        let envelope = Envelope.post("n", app: "a")
        try await phone.append(from: 3, [envelope])
        let answer = try await phone.error()
        #expect(answer.code == .unavailable && answer.sequence == DeviceSequence(3))

        try await proxy.open()
        try await awaiting("the append is taken") {
            try await phone.append(from: 3, [envelope])
            let taken: DeviceSequence? = try await phone.first {
                switch $0 {
                case .appended(let appended): .some(appended.throughSequence)
                case .error: .some(nil)
                default: nil
                }
            }
            return taken == DeviceSequence(3)
        }
        let count = try await onThread {
            try server.database().query(TestStatement.countEvents).int8(row: 0, column: 0)
        }
        #expect(count == 3)
        try await server.server.stop()
        try await proxy.stop()
    }

    @Test("G2: a conformance case whose device is answered `unavailable` comes again, until the database is back")
    func conformance() async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        let server = try await TestServer.start(
            partitions: 1, conninfo: direct, limits: limits, pool: PostgresConfiguration(conninfo: proxy.conninfo))
        try await proxy.close()
        let tokens = Recorder<String>()
        let address = ConformanceTarget.Address(host: "127.0.0.1", port: server.port)
        let target = ConformanceTarget(server: address, security: .plaintext) { request in
            // Each attempt asks for one: the first was refused.
            if tokens.values.count == 1 { try await proxy.open() }
            let token = try TestServer.token(request.user, request.device, request.scope)
            tokens.add(token)
            return token
        }
        let live = try await CaseContext(target).open(.ofNewUser())
        #expect(live.welcome.lastSequence == .zero && tokens.values.count > 1)
        try await server.server.stop()
        try await proxy.stop()
    }

    @Test("G2: devices that connect again and again without the database leave nothing behind in the server")
    func again() async throws {
        let direct = try await onThread { try TestCluster.shared.makeDatabase() }
        let proxy = try await DatabaseProxy.start(direct)
        let server = try await TestServer.start(
            partitions: 2, conninfo: direct, limits: limits, pool: PostgresConfiguration(conninfo: proxy.conninfo))
        proxy.silence()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<10 {
                        let client = try await WireClient.connect(port: server.port)
                        try await client.hello(token: TestServer.token(.random(), .random()))
                        #expect(try await client.error().code == .unavailable)
                        #expect(await client.isClosed())
                        await client.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        try await awaiting("nothing waits") {
            server.server.waitingRequests == 0 && server.server.connectionCount == 0
        }
        // The database says nothing still.
        try await server.server.stop()
        try await proxy.stop()
    }
}
