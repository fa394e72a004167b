import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// Whichever process is killed, the next start finds everything that was committed.
@Suite struct EmbeddedClusterCrashTests {
    @Test("the postmaster is killed: recovered in place, nothing committed is gone")
    func postmasterKilled() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        try cluster.connect().execute("CREATE TABLE kept AS SELECT 42 AS answer")
        #expect(try !cluster.ensureRunning())
        let pid = cluster.postmasterPID
        kill(pid, SIGKILL)
        try eventually("it has ended") { !cluster.isRunning }
        #expect(try cluster.ensureRunning())
        #expect(cluster.postmasterPID != pid)
        #expect(try cluster.connect().run("SELECT answer FROM kept").int4(row: 0, column: 0) == 42)
        try cluster.stop()
        #expect(try !cluster.ensureRunning(), "stopped stays stopped")
    }

    @Test("the postmaster is killed and a busy backend keeps the shared memory: the start waits for it")
    func leftoverBackend() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        try cluster.connect().execute("CREATE TABLE kept AS SELECT 42 AS answer")
        let victim = try cluster.connect()
        let pid = victim.backendPID
        // A busy loop does not notice that the postmaster is gone, as a wait for the client or pg_sleep would.
        let busy = try PostgresThread(name: "busy") { [conninfo = cluster.conninfo] in
            let connection = try? PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            _ = try? connection?.run("SET application_name = 'busy'")
            _ = try? connection?.execute("DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$")
        }
        var busyPID: Int32 = 0
        try eventually("it loops") {
            let row = try victim.run(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'busy' AND query LIKE 'DO%'")
            if row.rowCount == 1 { busyPID = try row.int4(row: 0, column: 0) }
            return row.rowCount == 1
        }
        kill(cluster.postmasterPID, SIGKILL)
        try eventually("the idle one has ended") { !cluster.isRunning && !isAlive(pid) }
        #expect(isAlive(busyPID))
        #expect(try cluster.ensureRunning())
        #expect(!isAlive(busyPID))
        #expect(try cluster.connect().run("SELECT answer FROM kept").int4(row: 0, column: 0) == 42)
        busy.join()
        try cluster.stop()
    }

    @Test("focusd is killed: the server goes on, the next focusd adopts it and stops it at its end")
    func orphanAdopted() throws {
        let own = try OwnCluster()
        var pid: Int32 = 0
        do {
            // Dropping the cluster without stopping it releases its lock and leaves the server running, as a killed
            // focusd does.
            let lost = try own.start()
            try lost.connect().execute("CREATE TABLE kept AS SELECT 42 AS answer")
            pid = lost.postmasterPID
        }
        #expect(isAlive(pid))
        let cluster = try own.start()
        #expect(cluster.postmasterPID == pid)
        #expect(try cluster.connect().run("SELECT answer FROM kept").int4(row: 0, column: 0) == 42)
        try cluster.stop()
        #expect(!isAlive(pid))
    }

    @Test("an orphan that is stopping is waited for, then a new server starts")
    func orphanStopping() throws {
        let own = try OwnCluster()
        var pid: Int32 = 0
        do { pid = try own.start().postmasterPID }
        kill(pid, SIGINT)
        // Until the server has handled the signal it counts as running, and adopting it would be right.
        let file = own.directory + "/postgres/postmaster.pid"
        try eventually("it is stopping, or has stopped") {
            (try? String(contentsOfFile: file, encoding: .utf8))?.contains("stopping") ?? true
        }
        let cluster = try own.start()
        #expect(cluster.postmasterPID != pid)
        #expect(try cluster.connect().run("SELECT 1").rowCount == 1)
        try cluster.stop()
    }

    @Test("a stale postmaster.pid, even one that names a living process, does not hinder the start")
    func stalePidFile() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        let file = URL(fileURLWithPath: own.directory + "/postgres/postmaster.pid")
        let text = try String(contentsOf: file, encoding: .utf8)
        kill(cluster.postmasterPID, SIGKILL)
        try eventually("it has ended") { !cluster.isRunning }
        // The process id of another program that the server's user may signal: another cluster's postmaster.
        let other = try OwnCluster()
        let neighbour = try other.start()
        let lines = ["\(neighbour.postmasterPID)"] + text.split(separator: "\n").dropFirst().map(String.init)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        #expect(try cluster.ensureRunning())
        #expect(neighbour.isRunning)
        try cluster.stop()
        try neighbour.stop()
    }

    @Test("both are killed at once: the next start recovers")
    func bothKilled() throws {
        let own = try OwnCluster()
        do {
            let lost = try own.start()
            try lost.connect().execute("CREATE TABLE kept AS SELECT 42 AS answer")
            kill(lost.postmasterPID, SIGKILL)
        }
        let cluster = try own.start()
        #expect(try cluster.connect().run("SELECT answer FROM kept").int4(row: 0, column: 0) == 42)
        try cluster.stop()
    }

    @Test("the supervisor starts a killed server again, at the same place")
    func supervised() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        let reports = Recorder<String>()
        let supervisor = try ClusterSupervisor(cluster) { reports.add("\($0)") }
        let conninfo = cluster.conninfo
        kill(cluster.postmasterPID, SIGKILL)
        try eventually("it is back") { reports.values == ["restarted"] }
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        #expect(try connection.run("SELECT 1").rowCount == 1)
        supervisor.stop()
        try cluster.stop()
    }

    @Test("a commit whose standby does not answer is in doubt when it is cancelled, not done")
    func replicationUnconfirmed() throws {
        let own = try OwnCluster()
        let cluster = try own.start()
        let observer = try cluster.connect()
        try observer.execute("CREATE TABLE t (a int4)")
        try observer.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try observer.execute("SELECT pg_reload_conf()")
        let writer = try cluster.connect()
        try writer.execute("SET synchronous_commit = on")
        let canceller = try PostgresThread(name: "canceller") {
            [pid = writer.backendPID, cancellation = writer.cancellation, conninfo = cluster.conninfo] in
            let watcher = try? PostgresConnection(PostgresConfiguration(conninfo: conninfo))
            try? eventually("it waits for the standby") {
                try watcher?.run(
                    "SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'", .int4(pid)
                ).rowCount == 1
            }
            cancellation.cancel()
        }
        // Commits wait only once the checkpointer has read the setting, which no view shows; until then they succeed at
        // once.
        var committed = 0
        var unconfirmed: PostgresError?
        try eventually("a commit waits for the standby") {
            do throws(PostgresError) {
                try writer.run("INSERT INTO t VALUES (1)")
                committed += 1
            } catch {
                unconfirmed = error
            }
            return unconfirmed != nil
        }
        canceller.join()
        #expect(unconfirmed?.kind == .replicationUnconfirmed)
        #expect(unconfirmed?.outcomeIsUnknown == true)
        #expect(try observer.run("SELECT count(*) FROM t").int8(row: 0, column: 0) == committed + 1)
        try observer.execute("ALTER SYSTEM RESET synchronous_standby_names")
        try cluster.stop()
    }
}
