import EventStore
import FocusCore
import Logging
import PostgresClient
import Support
import Testing

@testable import SyncServer

@Suite("Primary heartbeat") struct PrimaryHeartbeatTests {
    private static func heartbeat(_ conninfo: String) -> PrimaryHeartbeat {
        let store = StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false)
        return PrimaryHeartbeat(store, clock: .system, logger: Logger(label: "test"))
    }

    @Test(
        "A3, V2: before PostgreSQL has answered nobody vouches; where commits wait for no standby, its word is enough")
    func first() throws {
        let heartbeat = Self.heartbeat(try TestCluster.shared.makeDatabase())
        #expect(!heartbeat.vouches(within: .max / 2))
        heartbeat.start()
        try eventually("PostgreSQL has answered") { heartbeat.vouches(within: 1) }
        heartbeat.stop()
        #expect(heartbeat.vouches(within: 1))
    }

    @Test("A3, V2: nobody vouches for a PostgreSQL that has never answered")
    func unreachable() {
        let heartbeat = Self.heartbeat("host=/nowhere")
        heartbeat.start()
        heartbeat.stop()
        #expect(!heartbeat.vouches(within: .max / 2))
    }
}
