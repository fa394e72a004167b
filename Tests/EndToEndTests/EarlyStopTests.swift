import EventStore
import Foundation
import Support
import Testing

/// A server that is stopped before it serves.
@Suite("Early stop", .fewAtATime) struct EarlyStopTests {
    @Test("G1: a server that is stopped while its PostgreSQL recovers ends in time, and leaves no PostgreSQL behind")
    func whileRecovering() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await onThread { try EmbeddedCluster.start(dataDirectory: directory).stop() }
        // An archive that never answers; the command runs as the cluster's own user.
        chmod(directory, 0o777)
        let asked = directory + "/asked"
        let settings = directory + "/custom.conf"
        try "restore_command = 'touch \(asked); exec sleep 600'\n".write(
            toFile: settings, atomically: true, encoding: .utf8)
        let signal = directory + "/postgres/recovery.signal"
        try Data().write(to: URL(fileURLWithPath: signal))
        for file in [settings, signal] { chmod(file, 0o644) }

        let log = directory + "/log"
        let child = try ChildProcess(
            FocusdProcess.binary("focusd"),
            ["serve", "--plaintext", "--listen", "127.0.0.1:0", "--data-dir", directory], errors: log)
        try await awaiting("PostgreSQL recovers") { FileManager.default.fileExists(atPath: asked) }
        let cluster = try #require(try EmbeddedCluster.running(dataDirectory: directory))
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        #expect(kill(cluster.postmasterPID, 0) != 0)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("stopped before it was ready"))
    }
}
