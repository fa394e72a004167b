import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// The Python client, written from Schema/ alone, against a real focusd. Missing Python packages are installed; if that
/// is not possible the test fails and says why.
@Suite("Python client", .fewAtATime) struct PythonClientTests {
    private static let script = Checkout.file("Schema/clients/python/focus-client").path

    private let user = UserID.random()

    /// A device of the user, with a store in the server's directory.
    private struct Device {
        let arguments: [String]
        let store: String

        init(
            _ name: String, of user: UserID, on server: FocusdProcess, device: DeviceID = .random(),
            scope: Scope = .system
        ) async throws {
            store = "\(server.directory)/python-\(name)"
            try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
            let token = store + "/token"
            try TestServer.token(user, device, scope).write(toFile: token, atomically: true, encoding: .utf8)
            arguments = [
                "--plaintext", "--server", server.address.description, "--token-file", token, "--state", store,
                "--timeout", "120",
            ]
        }

        /// Runs a command; returns its output as JSON objects.
        func run(
            _ command: String, with more: [String] = [], input: [String] = [], exits: Int32 = 0
        ) async throws -> [[String: Any]] {
            let file = store + "/input"
            try input.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            let child = try ChildProcess(PythonClientTests.script, [command] + arguments + more, input: file)
            let output = await child.rest()
            let code = await child.exitCode()
            try #require(code == exits, "focus-client \(command) exited \(code ?? -1): \(output)")
            return try output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        }

        /// Edits the store's file by hand.
        func edit(_ change: (inout [String: Any]) throws -> Void) throws {
            let file = store + "/device.json"
            var kept = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
                    as? [String: Any])
            try change(&kept)
            try JSONSerialization.data(withJSONObject: kept).write(to: URL(fileURLWithPath: file))
        }
    }

    /// The types of all events of the user.
    private static func types(_ server: FocusdProcess, _ user: UserID) throws -> [String] {
        let connection = try server.database()
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        return try LogReader().heads(of: log.allPartitions, on: connection).flatMap { head in
            try LogReader().events(
                partition: head.partition, from: .zero, limit: Int(head.nextOffset.rawValue), on: connection)
        }.filter { $0.user == user }.map(\.type)
    }

    private static let setUp = [
        #"{"type":"app.registered","app":"a","payload":{"name":"Chat","build":1}}"#,
        #"{"type":"authorization.changed","app":"a","payload":{"kind":"NOTIFICATIONS","status":"AUTHORIZED"}}"#,
    ]

    private static func post(_ id: String, app: String = "a") -> String {
        #"{"type":"notification.posted","app":"\#(app)","#
            + #""payload":{"notificationId":"\#(id)","title":"Zoë","body":"b"}}"#
    }

    private func withServer(_ body: (FocusdProcess) async throws -> Void) async throws {
        // The first run installs packages, which may take minutes: before any test waits for something.
        let preparation = try ChildProcess(Self.script, ["--prepare"])
        try #require(await preparation.exitCode() == 0, "focus-client --prepare failed")
        let server = try await FocusdProcess()
        do {
            try await body(server)
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }

    @Test("A3: a device that was revoked erases its store, and says so")
    func revoked() async throws {
        let server = try await FocusdProcess()
        let lost = DeviceID.random()
        let device = try await Device("lost", of: user, on: server, device: lost)
        _ = try await device.run("append", input: Self.setUp)
        _ = try await device.run("sync")
        #expect(FileManager.default.fileExists(atPath: device.store + "/device.json"))
        let commands = FocusctlCommands(server: server, user: user)
        _ = try await commands.succeed([
            "device", "revoke", "--user", "\(user)", "--device", "\(lost)", "--data-dir", server.directory,
        ])
        _ = try await device.run("sync", exits: 1)
        #expect(!FileManager.default.fileExists(atPath: device.store + "/device.json"))
        await server.remove()
    }

    @Test("P5, S1, S2, S9: it appends, is told of refusals, gets a snapshot, then deltas, and agrees on every digest")
    func appendAndSync() async throws {
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            let tablet = try await Device("tablet", of: user, on: server)
            let answers = try await phone.run(
                "append", input: Self.setUp + [Self.post("n1"), Self.post("x", app: "no")])
            let last = try #require(answers.last)
            #expect(last["through"] as? Int == 4 && last["version"] as? Int == 5)
            let refused = answers.flatMap { $0["refused"] as? [[String: Any]] ?? [] }
            #expect(refused.compactMap { $0["code"] as? String } == ["app_unknown"])
            // The first sync is a snapshot, later ones the changes since the cursor.
            #expect(try await tablet.run("sync").contains { $0["key"] as? String == "n1" })
            _ = try await phone.run(
                "append",
                input: [Self.post("n2"), #"{"type":"notification.removed","app":"a","payload":{"ids":["n1"]}}"#])
            let rows = try await tablet.run("sync")
            let posts = rows.filter { $0["collection"] as? String == "notifications" }
            #expect(posts.compactMap { $0["key"] as? String } == ["n2"])
            #expect((posts.first?["value"] as? [String: Any])?["title"] as? String == "Zoë")
            #expect(rows.last?["version"] as? Int == 7 && rows.last?["healed"] as? Int == 0)
        }
    }

    @Test(
        "P2, P3, P10: it resends what was not acknowledged, and a restored store asks which of its events the log has")
    func resends() async throws {
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            let file = URL(fileURLWithPath: phone.store + "/device.json")
            await server.kill()
            // The events are queued and durable but not sent, because no server is running.
            async let queued = phone.run("append", input: Self.setUp + [Self.post("n1")])
            try await onThread {
                try eventually("the queue is stored") { FileManager.default.fileExists(atPath: file.path) }
            }
            let backup = try Data(contentsOf: file)
            try await server.start()
            #expect(try await queued.last?["version"] as? Int == 4)
            // The restored store does not know the acknowledgement and sends the same events again.
            try backup.write(to: file)
            #expect(try await phone.run("append").last?["version"] as? Int == 4)
            // The store has lost its queue and uses the same sequences for another event.
            try phone.edit { kept in
                kept["queue"] = []
                kept["next_sequence"] = 1
            }
            #expect(try await phone.run("append", input: [Self.post("n2")]).last?["through"] as? Int == 1)
            // The store has the events of the backup and one more; the log has two that the store does not know.
            try backup.write(to: file)
            #expect(try await phone.run("append", input: [Self.post("n3")]).count >= 2)
            // Nothing is queued, and the log has another event at the place of the last answer.
            var incarnations: Set<Int> = []
            try phone.edit { kept in
                incarnations.insert(try #require(kept["incarnation"] as? Int))
                kept["answered"] = [1, Data(repeating: 7, count: 16).base64EncodedString()]
            }
            let rows = try await phone.run("sync")
            let posts = rows.filter { $0["collection"] as? String == "notifications" }
            #expect(posts.compactMap { $0["key"] as? String } == ["n1", "n2", "n3"])
            try phone.edit { incarnations.insert(try #require($0["incarnation"] as? Int)) }
            #expect(incarnations.count == 2)
            let types = try Self.types(server, user)
            // n1 once, in the first incarnation; n2 and n3 in an incarnation each.
            #expect(types.count { $0 == EventType.notificationPosted.rawValue } == 3)
            #expect(types.count { $0 == EventType.deviceIncarnationBegan.rawValue } == 3)
            #expect(types.count == 9 && !types.contains(EventType.eventRefused.rawValue))
        }
    }

    @Test("P10: a store whose incarnation is another scope's goes on in a new one")
    func otherScope() async throws {
        try await withServer { server in
            let device = DeviceID.random()
            let agent = try await Device("device", of: user, on: server, device: device)
            #expect(try await agent.run("append", input: Self.setUp).last?["through"] as? Int == 2)
            let scope = Scope.app(try #require(AppID("a")))
            let app = try await Device("device", of: user, on: server, device: device, scope: scope)
            #expect(app.store == agent.store)
            // As an older client wrote it, which did not say whose it is.
            try agent.edit { #expect($0.removeValue(forKey: "owner") != nil) }
            #expect(try await app.run("append", input: [Self.post("n1")]).last?["through"] as? Int == 1)
            let types = try Self.types(server, user)
            #expect(types.count { $0 == EventType.notificationPosted.rawValue } == 1)
            #expect(types.count { $0 == EventType.deviceIncarnationBegan.rawValue } == 2)
        }
    }

    /// Has the phone set up an app that may know the Focus, with `viewer` in its audience.
    private func share(_ app: String, of phone: Device, with viewer: UserID) async throws {
        _ = try await phone.run(
            "append",
            input: [
                #"{"type":"focus.configured","payload":{"focusId":"work","name":"Work","sharesStatus":true}}"#,
                #"{"type":"app.registered","app":"\#(app)","payload":{"name":"Chat","build":1,"#
                    + #""capabilities":["COMMUNICATION"],"focusStatusUsageDescription":"To tell."}}"#,
                #"{"type":"authorization.changed","app":"\#(app)","#
                    + #""payload":{"kind":"FOCUS_STATUS","status":"AUTHORIZED"}}"#,
                Self.setUp[1],
                #"{"type":"audience.changed","app":"\#(app)","payload":{"add":["\#(viewer)"]}}"#,
            ])
    }

    @Test("V1, V2: it is told another user's current status, then each change, and is cut off by its removal")
    func watches() async throws {
        try await withServer { server in
            let viewer = UserID.random()
            let phone = try await Device("phone", of: user, on: server)
            try await share("a", of: phone, with: viewer)
            let watcher = try await Device("watcher", of: viewer, on: server)
            let child = try ChildProcess(
                Self.script, ["watch"] + watcher.arguments + [user.description, "--in-use", "com.example.chat"])
            func told() async throws -> [String: Any] {
                let line = Data(await child.firstLine().utf8)
                return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            }
            let current = try await told()
            #expect(current["user"] as? String == user.description.lowercased() && current["app"] as? String == "a")
            #expect(current["focused"] as? Bool == false)
            _ = try await phone.run(
                "append", input: [#"{"type":"focus.changed","payload":{"focusId":"work","isActive":true}}"#])
            #expect(try await told()["focused"] as? Bool == true)
            _ = try await phone.run(
                "append", input: [#"{"type":"audience.changed","app":"a","payload":{"remove":["\#(viewer)"]}}"#])
            #expect(try await told()["focused"] is NSNull)
            // For as long as it runs its device is in use (L6); what is in front there may not notify.
            try await awaiting("its use is logged") { try Self.types(server, viewer) == ["device.activity"] }
            child.signal(SIGKILL)
            _ = await child.exitCode()
            try await awaiting("its end is logged (T5)") {
                try Self.types(server, viewer) == ["device.activity", "device.activityEnded"]
            }
        }
    }

    @Test("F6: it asks whether a message to another user would ring now")
    func reaches() async throws {
        try await withServer { server in
            let viewer = UserID.random()
            let phone = try await Device("phone", of: user, on: server)
            try await share("a", of: phone, with: viewer)
            let asker = try await Device("asker", of: viewer, on: server)
            func ask(_ more: [String] = [], exits: Int32 = 0) async throws -> [[String: Any]] {
                try await asker.run("reach", with: [user.description, "--app", "a"] + more, exits: exits)
            }
            #expect(try await ask().last?["reach"] as? String == "RINGS_NOW")
            let end = (Int64(Date.now.timeIntervalSince1970) / 900 + 4) * 900_000_000
            _ = try await phone.run(
                "append",
                input: [
                    #"{"type":"focus.changed","payload":{"focusId":"work","isActive":true,"endsAtUs":"\#(end)"}}"#
                ])
            let waits = try #require(try await ask(["--communication"]).last)
            #expect(waits["reach"] as? String == "WAITS" && waits["atUs"] as? Int64 == end)
            let stranger = try await Device("stranger", of: .random(), on: server)
            let nothing = try await stranger.run("reach", with: [user.description, "--app", "a"])
            #expect(nothing.last?["reach"] as? String == "WAITS" && nothing.last?["atUs"] == nil)
        }
    }

    @Test("S9: a wrong row in its store is found by the digest, fetched afresh, and reported")
    func heals() async throws {
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            _ = try await phone.run("append", input: Self.setUp + [Self.post("n1")])
            let right = try await phone.run("sync")
            try phone.edit { kept in
                var rows = try #require(kept["rows"] as? [[Any]])
                rows.removeAll { ($0.first as? [String])?.first == "badges" }
                kept["rows"] = rows
            }
            let healed = try await phone.run("sync", exits: 3)
            #expect(healed.first?["differs"] as? [String] == ["badges"])
            #expect(healed.dropFirst().count == right.count && healed.last?["healed"] as? Int == 1)
            #expect(try await phone.run("sync").count == right.count)
        }
    }

    @Test("A store is its owner's: another user's token is refused, and nobody else reads the file")
    func owner() async throws {
        let server = try await FocusdProcess()
        let device = try await Device("owner", of: user, on: server)
        _ = try await device.run("sync")
        let mode = try FileManager.default.attributesOfItem(atPath: device.store + "/device.json")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        try TestServer.token(.random(), .random()).write(
            toFile: device.store + "/token", atomically: true, encoding: .utf8)
        _ = try await device.run("sync", exits: 1)
        await server.remove()
    }

    @Test("A store is one command's at a time: while a watch uses it an append fails, and queues nothing")
    func inUse() async throws {
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            _ = try await phone.run("append", input: Self.setUp)
            let child = try ChildProcess(Self.script, ["watch"] + phone.arguments + [UserID.random().description])
            // What it says of the other user shows that it has the store.
            _ = await child.firstLine()
            _ = try await phone.run("append", input: [Self.post("n1")], exits: 1)
            child.signal(SIGKILL)
            _ = await child.exitCode()
            // The store is free once the process is gone, however it ended.
            #expect(try await phone.run("append", input: [Self.post("n2")]).last?["through"] as? Int == 3)
        }
    }

    @Test("Plaintext is for loopback: a token leaves for no other host in clear")
    func plaintext() async throws {
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            // The first two are of blocks for documentation, the last two may lead to another machine.
            for host in ["192.0.2.1", "[2001:db8::1]", "0.0.0.0", "127.0.0.1.example.com"] {
                _ = try await phone.run("sync", with: ["--server", "\(host):9"], exits: 2)
            }
            _ = try await phone.run("sync", with: ["--server", "localhost:\(server.port)"])
        }
    }

    @Test("E5: what a server would never take is refused before it is queued; the largest payload is sent")
    func tooLarge() async throws {
        func post(bytes: Int) -> String {
            // The fields have 10 bytes beside the body's text.
            let body = String(repeating: "x", count: bytes - 10)
            return #"{"type":"notification.posted","app":"a","#
                + #""payload":{"notificationId":"n","title":"t","body":"\#(body)"}}"#
        }
        let long = String(repeating: "a", count: 2 * 1024 * 1024)
        try await withServer { server in
            let phone = try await Device("phone", of: user, on: server)
            let wrong = [
                post(bytes: 256 * 1024 + 1), post(bytes: 2 * 1024 * 1024),
                Self.post("n", app: String(long.prefix(156))), Self.post("n", app: ""),
                #"{"type":"focusChanged"}"#, #"{"type":"\#(long)"}"#,
            ]
            for line in wrong { _ = try await phone.run("append", input: Self.setUp + [line], exits: 1) }
            // The lines before the wrong ones are not queued either.
            let answers = try await phone.run("append", input: Self.setUp + [post(bytes: 256 * 1024)])
            #expect(answers.last?["through"] as? Int == 3)
            // The server answers it: the body is over a bound of its own.
            let refused = answers.flatMap { $0["refused"] as? [[String: Any]] ?? [] }
            #expect(refused.compactMap { $0["code"] as? String } == ["string_too_long"])
        }
    }
}
