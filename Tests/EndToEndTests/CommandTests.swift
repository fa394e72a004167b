import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import EventStore

/// Commands as a user types them, from end to end.
@Suite("focusctl and focusd", .fewAtATime) struct CommandTests {
    private let app = AppID("com.example.chat")!
    private let other = AppID("com.example.mail")!

    private func withServer(_ body: (FocusctlCommands) async throws -> Void) async throws {
        let server = try await FocusdProcess()
        do {
            let commands = FocusctlCommands(server: server, user: .random())
            try await commands.setUp(app)
            try await body(commands)
        } catch {
            await server.remove()
            throw error
        }
        await server.remove()
    }

    @Test("A Settings bundle's defaults, a preference set, watched and reset, and why it has its value")
    func preferences() async throws {
        try await withServer { focusctl in
            let bundle = try Self.makeBundle(in: focusctl.server.directory)
            let session = try await focusctl.device("chat", .random(), .app(app))
            let chat = ["--app", app.rawValue] + session
            let phone = ["--app", app.rawValue] + (try await focusctl.device("phone-preferences", .random()))
            let watcher = try focusctl.start(["preferences", "watch"] + phone)
            defer { watcher.signal(SIGKILL) }
            let imported = try await focusctl.succeed(["import", "settings-bundle", bundle, "--json"] + chat).json()
            #expect((imported["defaults"] as? [[String: Any]])?.count == 3 && imported["build"] as? String == "1")
            #expect(await watcher.firstLine() == "greeting string Hello")
            let got = try await focusctl.succeed(["preferences", "get"] + chat)
            #expect(got.lines == ["greeting string Hello", "sound bool true", "volume real 0.5"])
            let set = try await focusctl.succeed(["preferences", "set", "volume", "1", "--type", "integer"] + chat)
            #expect(set.lines == ["volume integer 1"])
            // Read before the next change, because a slow watcher is told only the newest value.
            var seen: [String] = []
            while seen.count < 3 { seen.append(await watcher.firstLine()) }
            #expect(seen == ["sound bool true", "volume real 0.5", "volume integer 1"])
            let why = try await focusctl.succeed(
                ["explain", "--preference", "volume", "--json"] + focusctl.log(app)
            ).json()
            #expect(why["decision"] as? String == "1" && why["rule"] as? String == "D1")
            #expect((why["events"] as? [[String: Any]])?.map { $0["type"] as? String }.last == "preference.changed")
            let reset = try await focusctl.succeed(["preferences", "reset", "volume"] + chat)
            #expect(reset.lines == ["volume real 0.5"])
            #expect(try await focusctl.run(["preferences", "get", "nothing"] + chat).exitCode == 1)
            for (app, session) in [("com.example.nothing", phone), (other.rawValue, session)] {
                let unknown = ["preferences", "get", "--app", app] + session.drop { $0 != "--plaintext" }
                #expect(try await focusctl.run(unknown).exitCode == 1, "\(unknown)")
            }
            // An app's session may not write another app's preferences.
            let foreign = ["--app", other.rawValue] + session
            #expect(try await focusctl.run(["preferences", "set", "x", "y"] + foreign).exitCode == 1)
            #expect(await watcher.firstLine() == "volume real 0.5")
            watcher.signal(SIGINT)
            #expect(await watcher.exitCode() == 0)
        }
    }

    @Test("A route is imported, shown, asked for its speed and exported; why its user appears focused is told")
    func routes() async throws {
        try await withServer { focusctl in
            let track = "\(focusctl.server.directory)/track.gpx"
            try Self.track.write(toFile: track, atomically: true, encoding: .utf8)
            let phone = try await focusctl.device("phone-routes", .random())
            let imported = try await focusctl.succeed(
                ["import", "gpx", track, "--app", app.rawValue, "--activity", "running", "--json"] + phone
            ).json()
            let route = try #require(imported["routeId"] as? String)
            let log = focusctl.log(app)
            let shown = try await focusctl.succeed(["route", "show", route] + log)
            #expect(shown.lines.contains { $0.hasPrefix("points") && $0.contains("3 accepted") })
            let speed = try await focusctl.succeed(["route", "speed", route, "--from", "0", "--to", "20"] + log)
            #expect(speed.output.hasPrefix("11.1"), "222 m in 20 s")
            let gpx = try await focusctl.succeed(["route", "export", route, "--format", "gpx"] + log)
            #expect(gpx.output.components(separatedBy: "<trkpt ").count == 4)
            let geojson = try await focusctl.succeed(["route", "export", route, "--format", "geojson"] + log)
            let feature = try #require(
                try JSONSerialization.jsonObject(with: Data(geojson.output.utf8)) as? [String: Any])
            let geometry = try #require(feature["geometry"] as? [String: Any])
            #expect((geometry["coordinates"] as? [[Double]])?.first == [8, 47, 400])
            #expect(try await focusctl.run(["route", "export", "none", "--format", "gpx"] + log).exitCode == 1)
            let picture = "\(focusctl.server.directory)/run.svg"
            _ = try await focusctl.succeed(["route", "plot", route, "--svg", picture] + log)
            let drawn = try String(contentsOfFile: picture, encoding: .utf8)
            #expect(drawn.contains("<svg ") && drawn.contains(">Running</text>"))
            let smoothed = try await focusctl.succeed(["route", "plot", route, "--smooth", "20", "--svg", "-"] + log)
            #expect(smoothed.output.hasSuffix("</svg>\n") && smoothed.output.contains(", smoothed</text>"))
            let wide = try await focusctl.run(["route", "plot", route, "--smooth", "61", "--svg", picture] + log)
            #expect(wide.exitCode == 2)
            let nowhere = try await focusctl.run(["route", "plot", route, "--svg", "/nowhere/run.svg"] + log)
            #expect(nowhere.exitCode == 1)
            let visible = try await focusctl.succeed(["explain", "--focus-visibility"] + log)
            #expect(visible.lines.first == "Focus status as \(app) sees it: focused")
            #expect(visible.lines.dropFirst().first?.hasPrefix("F3.2: ") == true)
            #expect(try await focusctl.run(["explain", "--badge", "--focus-visibility"] + log).exitCode == 2)
        }
    }

    @Test("The read model's status is told; what is not as the events make it is found, with exit code 3")
    func projections() async throws {
        try await withServer { focusctl in
            let log = ["--data-dir", focusctl.server.directory]
            var status: [String: Any] = [:]
            // The projector follows within a second; only a failing test asks this often.
            for _ in 0..<600 where status["lagEvents"] as? Int != 0 {
                status = try await focusctl.succeed(["projections", "status", "--exact", "--json"] + log).json()
            }
            #expect(status["lagEvents"] as? Int == 0 && status["events"] as? Int == 11)
            #expect((status["partitions"] as? [[String: Any]])?.count == 16)
            #expect(status["rebuild"] is NSNull)
            let tables = try #require(status["tables"] as? [[String: Any]])
            #expect(tables.contains { $0["table"] as? String == "authorizations" && $0["rows"] as? Int == 7 })
            let table = try await focusctl.succeed(["projections", "status"] + log)
            #expect(table.lines.contains { $0.hasPrefix("total") })
            let verify = ["projections", "verify"] + log
            for choice in [["--all"], ["--sample", "5", "--seed", "1"], ["--user", focusctl.user.description]] {
                #expect(try await focusctl.succeed(verify + choice).lines.last?.hasPrefix("equal: 1 users") == true)
            }
            #expect(try await focusctl.run(verify + ["--all", "--sample", "3"]).exitCode == 2)

            let directory = focusctl.server.directory
            try await onThread {
                let running = try #require(try EmbeddedCluster.running(dataDirectory: directory))
                let database = try PostgresConnection(PostgresConfiguration(conninfo: running.conninfo))
                defer { database.close() }
                try database.execute("UPDATE read_1.active_focus SET value = '\\xff'; DELETE FROM read_1.focuses")
            }
            let found = try await focusctl.run(verify + ["--all"])
            #expect(found.exitCode == 3 && found.lines.last?.hasPrefix("different: 1 of 1 users, 2 rows") == true)
            #expect(found.lines.contains { $0.hasSuffix("changed active_focus in value") })
            #expect(found.output.contains("value focusId=work (since event 11)"))
            #expect(found.output.contains("no row (right until event 10)"))
            let json = try await focusctl.run(verify + ["--all", "--json"])
            let user = try #require(
                try JSONSerialization.jsonObject(with: Data(json.lines[0].utf8)) as? [String: Any])
            let rows = try #require(user["rows"] as? [[String: Any]])
            #expect(rows.map { $0["kind"] as? String } == ["changed", "missing"])
            #expect(rows.map { $0["since"] as? Int } == [11, 10])
        }
    }

    /// The lines that focusd logs when it starts.
    private static func warnings(_ conninfo: String, _ directory: String) async throws -> [Substring] {
        let arguments = [
            "serve", "--plaintext", "--database", conninfo, "--data-dir", directory, "--listen", "127.0.0.1:0",
            "--log-level", "warning",
        ]
        let child = try ChildProcess(
            "/bin/sh", ["-c", #"exec "$0" "$@" 2> "$LOG""#, FocusdProcess.binary("focusd")] + arguments,
            environment: ["LOG": "\(directory)/log"])
        let line = await child.firstLine()
        #expect(line.hasPrefix("focusd ready"))
        // focusd can be stopped as soon as it says that it is ready (rule G1).
        child.signal(SIGTERM)
        #expect(await child.exitCode() == 0)
        return try String(contentsOfFile: "\(directory)/log", encoding: .utf8).split(separator: "\n")
    }

    @Test("focusd says at its start that the read model is of another fold, and which command makes it this one's")
    func otherFold() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try String(repeating: "30", count: 32).write(
            toFile: "\(directory)/token.key", atomically: true, encoding: .utf8)
        let conninfo = try await onThread { try TestCluster.shared.makeDatabase() }
        func warnings() async throws -> [Substring] {
            try await Self.warnings(conninfo, directory).filter { $0.contains("fold") }
        }
        #expect(try await warnings() == [])
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: conninfo))
        defer { connection.close() }
        try connection.execute("UPDATE generations SET fold_version = \(FocusCore.foldVersion - 1)")
        let warnings = try await warnings()
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("focusctl projections rebuild") == true)
        #expect(warnings.first?.contains("fold=\(FocusCore.foldVersion - 1)") == true)
        #expect(warnings.first?.contains("own=\(FocusCore.foldVersion)") == true)
    }

    @Test("P10: focusd says that the log keeps an earlier format, until focusctl migrate --finish raises it for good")
    func finish() async throws {
        let log = try await EarlierLog.make()
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try String(repeating: "30", count: 32).write(
            toFile: "\(directory)/token.key", atomically: true, encoding: .utf8)
        func migrate(_ options: String...) async throws -> FocusctlCommands.Result {
            let child = try ChildProcess(
                FocusdProcess.binary("focusctl"), ["migrate", "--database", log.conninfo] + options)
            let output = await child.rest()
            return FocusctlCommands.Result(exitCode: await child.exitCode(), output: output)
        }
        func warnings() async throws -> [Substring] {
            try await Self.warnings(log.conninfo, directory).filter { $0.contains("format") }
        }
        let later = Migrations.all.filter { $0.number > 15 }
        #expect(later.first?.name == "incarnations")
        let newest = EventStore.logFormats.upperBound
        let left = [
            "the log has format 1, this program \(newest)",
            "servers of the last release may be started until `focusctl migrate --finish`",
        ]
        #expect(try await migrate("--dry-run").lines == later.map { "would apply \($0)" } + left)
        #expect(try await migrate("--dry-run", "--finish").exitCode == 2)
        #expect(try await migrate().lines == later.map { "applied \($0)" })
        #expect(try await migrate().lines == ["up to date"])
        for _ in 0..<2 {
            let warnings = try await warnings()
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("focusctl migrate --finish") == true)
            #expect(warnings.first?.contains("format=1") == true)
        }
        #expect(try await migrate("--dry-run").lines == left)
        #expect(
            try await migrate("--finish").lines
                == ["the log has format \(newest) now", "earlier programs do not start on this log any more"])
        #expect(try await migrate("--finish").lines == ["up to date"])
        #expect(try await migrate("--dry-run").lines == ["up to date"])
        #expect(try await warnings() == [])
    }

    private static func makeBundle(in directory: String) throws -> String {
        let bundle = "\(directory)/Settings.bundle"
        try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        let root: [[String: Any]] = [
            ["Type": "PSToggleSwitchSpecifier", "Key": "sound", "DefaultValue": true],
            ["Type": "PSChildPaneSpecifier", "File": "More"],
            ["Type": "PSSliderSpecifier", "Key": "volume", "DefaultValue": 0.5],
        ]
        let more: [[String: Any]] = [
            ["Type": "PSTextFieldSpecifier", "Key": "greeting", "DefaultValue": "Hello"],
            ["Type": "PSToggleSwitchSpecifier", "Key": "sound", "DefaultValue": false],
        ]
        for (name, specifiers, format) in [
            ("Root", root, PropertyListSerialization.PropertyListFormat.xml), ("More", more, .binary),
        ] {
            let plist = try PropertyListSerialization.data(
                fromPropertyList: ["PreferenceSpecifiers": specifiers], format: format, options: 0)
            try plist.write(to: URL(fileURLWithPath: "\(bundle)/\(name).plist"))
        }
        return bundle
    }

    /// A track of 0.002° of latitude in 20 s.
    private static let track = """
        <?xml version="1.0"?>
        <gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="47" lon="8"><ele>400</ele><time>2026-01-01T09:00:00Z</time></trkpt>
        <trkpt lat="47.001" lon="8"><ele>404</ele><time>2026-01-01T09:00:10Z</time></trkpt>
        <trkpt lat="47.002" lon="8"><ele>400</ele><time>2026-01-01T09:00:20Z</time></trkpt>
        </trkseg></trk></gpx>
        """
}

extension FocusctlCommands {
    /// Lets the app do everything, and puts a Focus on.
    fileprivate func setUp(_ app: AppID) async throws {
        let kinds = [
            "NOTIFICATIONS", "FOCUS_STATUS", "LOCATION", "SHARE_ROUTES", "SHARE_WORKOUTS", "READ_ROUTES",
            "READ_WORKOUTS",
        ]
        let registered =
            #"{"name":"Chat","build":1,"capabilities":["COMMUNICATION"],"focusStatusUsageDescription":"why"}"#
        let lines =
            [#"{"type":"app.registered","app":"\#(app)","payload":\#(registered)}"#]
            + kinds.map {
                #"{"type":"authorization.changed","app":"\#(app)","payload":{"kind":"\#($0)","status":"AUTHORIZED"}}"#
            } + [
                #"{"type":"focus.configured","payload":{"focusId":"work","name":"Work","sharesStatus":true}}"#,
                #"{"type":"focus.changed","payload":{"focusId":"work","isActive":true}}"#,
            ]
        let agent = try await device("agent", .random())
        _ = try await succeed(["append", "--strict"] + agent, input: lines.joined(separator: "\n"))
    }
}
