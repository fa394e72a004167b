import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// `focusctl backup` and `restore` with the real programs, and devices that know more than the backup.
@Suite("Backup and restore", .fewAtATime) struct BackupTests {
    private static let app = AppID("com.example.chat")!

    private static func posts(_ prefix: String, _ count: Int) -> [EventDraft] {
        (0..<count).map {
            EventDraft(.notificationPosted(NotificationPosted(notificationID: "\(prefix)\($0)", body: "b")), app: app)
        }
    }

    private static let setUp = [
        EventDraft(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: app),
        EventDraft(.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
    ]

    private func focusctl(_ arguments: [String]) async throws -> (code: Int32?, output: String) {
        let child = try ChildProcess(FocusdProcess.binary("focusctl"), arguments, input: "/dev/null")
        let output = await child.rest()
        return (await child.exitCode(), output)
    }

    private func events(_ server: FocusdProcess) async throws -> [LoggedEvent] {
        let directory = server.directory
        return try await onThread {
            let running = try EmbeddedCluster.running(dataDirectory: directory)
            let connection = try PostgresConnection(PostgresConfiguration(conninfo: running?.conninfo ?? ""))
            defer { connection.close() }
            let log = try LogIdentity.read(on: connection)
            return try LogReader().heads(of: log.allPartitions, on: connection).flatMap { head in
                try LogReader().events(
                    partition: head.partition, from: .zero, limit: Int(head.nextOffset.rawValue), on: connection)
            }
        }
    }

    @Test(
        "S6: a backup is restored into a new place; every event acknowledged after it is back, and nothing rings again")
    func backup() async throws {
        let server = try await FocusdProcess()
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let user = UserID.random()
        let devices = (0..<3).map { HealedDevice(user: user, scope: .system, directory: "\(place)/device-\($0)") }
        var acknowledged: [EventID] = []
        for device in devices {
            acknowledged += try await device.with(port: server.port) { client in
                try await client.append(Self.setUp + Self.posts("\(device.id)-before", 3)).map(\.event)
            }
        }
        let backup = try await focusctl(["backup", "--data-dir", server.directory, "--to", place + "/backup"])
        #expect(backup.code == 0 && backup.output.contains("18 events at least, checked"), "\(backup.output)")
        for device in devices {
            acknowledged += try await device.with(port: server.port) { client in
                try await client.append(Self.posts("\(device.id)-after", 20)).map(\.event)
            }
        }
        #expect(await server.terminate())

        let restored = place + "/restored"
        let restore = try await focusctl(["restore", "--from", place + "/backup", "--data-dir", restored])
        #expect(restore.code == 0 && restore.output.contains("focusctl lost"), "\(restore.output)")
        try FileManager.default.copyItem(atPath: server.directory + "/token.key", toPath: restored + "/token.key")
        // Receipts were made from the one secret in it. They hold, although the keys of tokens change.
        for arguments in [["add", "--kid", "next"], ["use", "next"]] {
            let changed = try await focusctl(["keys"] + arguments + ["--data-dir", restored])
            #expect(changed.code == 0, "\(changed.output)")
        }
        let second = try await FocusdProcess(directory: restored)
        #expect(try await events(second).count == 18)
        let port = second.port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask {
                    try await device.synchronize(port: port)
                }
            }
            try await group.waitForAll()
        }
        let logged = try await events(second)
        let own = logged.filter { $0.device != .server }
        #expect(own.count == acknowledged.count)
        #expect(Set(own.map(\.id)) == Set(acknowledged))
        #expect(logged.count { $0.encoding == LoggedEvent.healed } == 60)
        var state = UserState(user: user)
        for event in logged { _ = try state.apply(event.decoded()) }
        for device in devices {
            try await device.with(port: port) { client in
                #expect(try await client.synchronize() == [])
                try device.expectRows(client, equal: state)
                for row in try client.rows(in: .alerts) where row.key.key.contains("-after") {
                    #expect(try AlertRow(decoding: row.value).decision == AlertDecision(.none, .healed))
                }
            }
        }
        let lost = try await focusctl(["lost", "--data-dir", restored])
        #expect(lost.code == 0 && lost.output.contains("Nothing is known to be lost."), "\(lost.output)")
        await second.remove()
        await server.remove()
    }

    @Test("A backup has the operator's settings of the embedded PostgreSQL; a restore keeps those that are there")
    func settings() async throws {
        let server = try await FocusdProcess()
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        let custom = "fsync = off\nfull_page_writes = off\nwork_mem = '7MB'\n"
        try custom.write(toFile: server.directory + "/custom.conf", atomically: false, encoding: .utf8)
        #expect(try await focusctl(["backup", "--data-dir", server.directory, "--to", place + "/b"]).code == 0)
        await server.remove()
        let own = place + "/own"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try FocusdProcess.relaxDisk(of: own)
        let kept = try String(contentsOfFile: own + "/custom.conf", encoding: .utf8)
        for directory in [place + "/new", own] {
            let restored = try await focusctl(["restore", "--from", place + "/b", "--data-dir", directory])
            #expect(restored.code == 0, "\(restored.output)")
            let found = try String(contentsOfFile: directory + "/custom.conf", encoding: .utf8)
            #expect(found == (directory == own ? kept : custom))
        }
        let second = try await FocusdProcess(directory: place + "/new")
        let restored = second.directory
        let shown = try await onThread {
            let running = try #require(try EmbeddedCluster.running(dataDirectory: restored))
            let database = try PostgresConnection(PostgresConfiguration(conninfo: running.conninfo))
            defer { database.close() }
            return try database.query(Statement(name: "work_mem", sql: "SHOW work_mem")).text(row: 0, column: 0)
        }
        #expect(shown == "7MB")
        await second.remove()
    }

    @Test("A restore writes over nothing, a damaged backup is not restored, and what is wrong is said")
    func refusals() async throws {
        let server = try await FocusdProcess()
        let place = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: place) }
        #expect(try await focusctl(["backup", "--data-dir", server.directory, "--to", place + "/b"]).code == 0)
        let again = try await focusctl(["backup", "--data-dir", server.directory, "--to", place + "/b"])
        #expect(again.code == 1)
        // Refused while focusd runs there, and also after it has ended, because its cluster is there.
        #expect(try await focusctl(["restore", "--from", place + "/b", "--data-dir", server.directory]).code == 1)
        #expect(await server.terminate())
        #expect(try await focusctl(["restore", "--from", place + "/b", "--data-dir", server.directory]).code == 1)
        let other = try await focusctl(["restore", "--from", place + "/b/", "--pgdata", place + "/pgdata/"])
        #expect(other.code == 0 && other.output.contains("Write a postgresql.conf"), "\(other.output)")
        #expect(FileManager.default.fileExists(atPath: place + "/pgdata/PG_VERSION"))
        #expect(try await focusctl(["restore", "--from", place + "/b", "--pgdata", place + "/pgdata"]).code == 1)
        #expect(try await focusctl(["restore", "--from", place, "--pgdata", place + "/other"]).code == 1)
        #expect(try await focusctl(["restore", "--from", place + "/b"]).code == 2)

        let file = place + "/b/postgres/global/pg_control"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        bytes[100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        #expect(try await focusctl(["restore", "--from", place + "/b", "--pgdata", place + "/other"]).code == 1)
        #expect(!FileManager.default.fileExists(atPath: place + "/other"))
        await server.remove()
    }
}
