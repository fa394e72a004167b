import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// Commits by which a primary proves that it still is one.
@Suite("PrimaryProbe") struct PrimaryProbeTests {
    @Test("G2: commits that no standby confirms are given up and cancelled: sessions that wait do not gather")
    func givenUp() throws {
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        var settings = EmbeddedClusterSettings()
        settings.isDurable = false
        settings.stopTimeout = .seconds(120)
        settings.overrides = ["shared_buffers": "32MB", "max_wal_size": "256MB"]
        let cluster = try EmbeddedCluster.start(dataDirectory: place, settings: settings)
        var configuration = PostgresConfiguration(conninfo: cluster.conninfo)
        let observer = try PostgresConnection(configuration)
        try observer.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try observer.run("SELECT pg_reload_conf()")
        configuration.silenceTimeoutMilliseconds = 200
        let store = StoreConfiguration(configuration, assumesRole: false).serving(StoreInterruption())
        let probe = PrimaryProbe(store)
        // Every session may know the setting by now, and none waits until the checkpointer has it too.
        // One that is slow for another reason is not the third in a row.
        var failures = 0
        try eventually("commits wait") {
            do {
                _ = try probe.prove { _ in }
                failures = 0
            } catch is PostgresError {
                failures += 1
            }
            return failures == 3
        }
        for _ in 0..<5 { #expect(throws: PostgresError.self) { try probe.prove { _ in } } }
        // Whoever asks how PostgreSQL is must hear several times in two seconds that it answers.
        let server = StoreConfiguration(PostgresConfiguration(conninfo: cluster.conninfo), assumesRole: false)
        let patient = PrimaryProbe(server.serving(StoreInterruption()))
        var told = 0
        let begin = ContinuousClock.now
        while told < 3, ContinuousClock.now - begin < .seconds(20) {
            #expect(throws: PostgresError.self) { try patient.prove { _ in told += 1 } }
        }
        #expect(told == 3, "it answered \(told) times in 20 s")
        try eventually("nobody waits for the standby") {
            try observer.run("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'").rowCount == 0
        }
        observer.close()
        try cluster.stop()
    }
}
