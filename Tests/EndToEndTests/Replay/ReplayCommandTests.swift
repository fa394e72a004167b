import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Support
import Testing

@Suite("focusctl replay", .fewAtATime) struct ReplayCommandTests {
    private static func ids(_ output: String) throws -> [String] {
        try output.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["eventId"] as? String)
        }
    }

    @Test("A column has one name: that of SQL and CSV is NDJSON's in camel case, and the recipes' table has all")
    func names() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let csv = try await log.run(["replay", "--format", "csv", "--type", "notification.posted"])
        let header = try #require(csv.output.components(separatedBy: "\r\n").first).components(separatedBy: ",")
        let ndjson = try await log.run(["replay", "--type", "notification.posted"]).json()
        let camel = header.map { name in
            let words = name.split(separator: "_").map(String.init)
            return words[0] + words.dropFirst().map(\.capitalized).joined()
        }
        #expect(Set(ndjson.keys) == Set(camel))
        let columns = try await log.integer(
            """
            SELECT count(*) FROM information_schema.columns
            WHERE table_name = 'events' AND column_name IN ('\(header.joined(separator: "', '"))')
            """)
        #expect(Int(columns) == header.count)
        let recipes = try String(contentsOf: Checkout.file("Schema/RECIPES.md"), encoding: .utf8)
        for (sql, json) in zip(header, camel) { #expect(recipes.contains("| `\(sql)` | `\(json)` |"), "\(sql)") }
    }

    @Test("The merged stream, its filters, times and parts are those of the log")
    func streams() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let events = try await log.events()
        let all = try await log.run(["replay"])
        #expect(all.exitCode == 0)
        #expect(try Self.ids(all.output) == events.map(\.id.description))
        let middle = events[events.count / 2].recordedAt
        let since = try await log.run(["replay", "--since", middle.rfc3339, "--type", "notification.posted"])
        let until = try await log.run(["replay", "--until", middle.rfc3339, "--type", "notification.posted"])
        let posts = events.filter { $0.type == "notification.posted" }
        #expect(try Self.ids(since.output) == posts.filter { $0.recordedAt >= middle }.map(\.id.description))
        #expect(try Self.ids(until.output) == posts.filter { $0.recordedAt < middle }.map(\.id.description))
        let from = try await log.run(["replay", "--from", "1:20,3:5"])
        let expected = events.filter {
            $0.partition == Partition(1) && $0.offset >= LogOffset(20)
                || $0.partition == Partition(3) && $0.offset >= LogOffset(5)
        }
        #expect(try Self.ids(from.output) == expected.map(\.id.description))
        let parallel = try await log.run(["replay", "--parallel", "3"])
        let lines = try Self.ids(parallel.output)
        #expect(lines.count == events.count)
        for partition in Set(events.map(\.partition)) {
            let own = events.filter { $0.partition == partition }.map(\.id.description)
            let members = Set(own)
            #expect(lines.filter(members.contains) == own, "each partition in its order")
        }
        #expect(try await log.run(["replay", "--from", "9:0"]).exitCode == 1)
        #expect(try await log.run(["replay", "--from", "x"]).exitCode == 2)
    }

    @Test("CSV has a line of names, one line per event, and its quotes")
    func csv() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let posts = try await log.events(ReplayFilter(types: [.notificationPosted]))
        let found = try await log.run(["replay", "--format", "csv", "--type", "notification.posted"])
        let lines = found.output.split(separator: "\r\n")
        #expect(lines.count == posts.count + 1)
        #expect(lines[0].hasPrefix("partition,log_offset,user_id,") && lines[0].hasSuffix(",payload"))
        #expect(lines[1].contains(",\"{\"\"notificationId\"\":") && lines[1].contains(posts[0].id.description))
    }

    @Test("A slow reader holds no snapshot; SIGINT writes the checkpoint, and the same command goes on from it")
    func interrupted() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let command = ["replay", "--checkpoint", "\(log.directory)/position"]
        let child = try log.start(command)
        // Only the first line is read, so the pipe fills up and the replay waits.
        let first = await child.firstLine()
        let busy = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
            AND application_name = 'focusctl-replay' AND (backend_xmin IS NOT NULL OR state <> 'idle')
            """
        // With less than a page of room left, focusctl can write no more, and its running query comes to its end.
        try await awaiting("the pipe is full") { child.unreadBytes >= 60 << 10 }
        try await log.wait("it waits without a snapshot", for: busy, 0)
        child.signal(SIGINT)
        #expect(await child.exitCode() == 1)
        var lines = [first] + (await child.rest()).split(separator: "\n").map(String.init)
        let position = try String(contentsOfFile: "\(log.directory)/position", encoding: .utf8)
        #expect(position.contains("0:"))
        // The last line is cut off if the pipe had no room for it, and the checkpoint does not count it.
        if (try? JSONSerialization.jsonObject(with: Data(lines[lines.count - 1].utf8))) == nil { lines.removeLast() }
        let rest = try await log.run(command)
        #expect(rest.exitCode == 0)
        let events = try await log.events().map(\.id.description)
        let seen = try Self.ids(lines.joined(separator: "\n"))
        #expect(try seen + Self.ids(rest.output) == events, "exactly once, but for the event that was cut off")
        let nothing = try await log.run(command)
        #expect(nothing.exitCode == 0 && nothing.output.isEmpty)
    }

    @Test("A replay that was killed in the middle of a line goes on behind the last whole one of its file")
    func killedInALine() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (output, position) = ("\(log.directory)/events", "\(log.directory)/position")
        let events = try await log.events().count
        for format in ["ndjson", "csv"] {
            func resume() async throws -> [String] {
                let command =
                    "exec '\(FocusdProcess.binary("focusctl"))' replay --format \(format) --checkpoint '\(position)' "
                    + "--database '\(log.conninfo)' >> '\(output)'"
                let child = try ChildProcess("/bin/sh", ["-c", command], input: "/dev/null")
                _ = await child.rest()
                #expect(await child.exitCode() == 0)
                return try String(contentsOfFile: output, encoding: .utf8).split(whereSeparator: \.isNewline)
                    .map(String.init)
            }
            let whole = try await resume()
            #expect(whole.count == events + (format == "csv" ? 1 : 0))
            let first = whole.dropLast(100)
            let half = whole[first.count].prefix(40)
            try (first.joined(separator: "\n") + "\n" + half).write(
                toFile: output, atomically: false, encoding: .utf8)
            #expect(try await resume() == Array(first))
            for file in [output, position] { try FileManager.default.removeItem(atPath: file) }
        }
    }

    @Test("S6: a replay does not go on in a log that lost what was replayed, and has other events there")
    func lostEnd() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let position = "\(log.directory)/position"
        let command = ["replay", "--checkpoint", position]
        #expect(try await log.run(command).exitCode == 0)
        let count = try await log.integer("SELECT next_offset FROM log_partitions WHERE partition = 0")
        #expect(count > 60)
        try await log.execute(TestStatement.otherEnd(keeping: 50, behindIt: Int(count)))
        let (code, text) = try await log.complaint(command)
        #expect(code == 3 && text.contains("partition 0 of the log lacks events that it had"), "\(text)")
        // A file of an earlier program names no events; it is believed.
        let old = try String(contentsOfFile: position, encoding: .utf8).split(separator: " ").prefix(2)
        try old.joined(separator: " ").write(toFile: position, atomically: true, encoding: .utf8)
        #expect(try await log.run(command).exitCode == 0)
    }

    @Test(
        "A reader that takes everything until SIGINT has every event exactly once, and news by --follow")
    func followed() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let command = ["replay", "--follow", "--checkpoint", "\(log.directory)/position"]
        let child = try log.start(command)
        let events = try await log.events()
        var seen: [String] = []
        while seen.count < events.count { seen.append(await child.firstLine()) }
        // More events are appended.
        var later = GeneratedDatabase.plan
        later.seed += 1
        later.events = 40
        later.users = 2
        later.start = later.start.adding(microseconds: 100 * 86_400_000_000)
        let (plan, conninfo) = (later, log.conninfo)
        try await onThread {
            try LogGenerator(
                plan, into: StoreConfiguration(PostgresConfiguration(conninfo: conninfo), assumesRole: false)
            ).run(threads: 1, appends: true)
        }
        while seen.count < events.count + 40 { seen.append(await child.firstLine()) }
        child.signal(SIGINT)
        #expect(await child.exitCode() == 0)
        #expect(try Set(Self.ids(seen.joined(separator: "\n"))).count == events.count + 40)
        let nothing = try await log.run(["replay", "--checkpoint", "\(log.directory)/position"])
        #expect(nothing.exitCode == 0 && nothing.output.isEmpty)
        // A checkpoint of another log is refused.
        let other = "\(UUID()) 0:1\n"
        try other.write(toFile: "\(log.directory)/other", atomically: true, encoding: .utf8)
        #expect(try await log.run(["replay", "--checkpoint", "\(log.directory)/other"]).exitCode == 1)
    }
}
