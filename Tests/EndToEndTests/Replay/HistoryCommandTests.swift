import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Testing

@Suite("focusctl state, diff, timeline, what-if, generate", .fewAtATime) struct HistoryCommandTests {
    private func busiest(_ events: [LoggedEvent]) throws -> (UserID, [LoggedEvent]) {
        let found = Dictionary(grouping: events, by: \.user).max { $0.value.count < $1.value.count }
        return try #require(found.map { ($0.key, $0.value) })
    }

    @Test(
        "A user's past state, by version and by time, is the fold of the log up to there, also from the cache")
    func state() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (user, events) = try busiest(await log.events())
        let version = events.count / 2
        var state = UserState(user: user)
        for event in events.prefix(version) { _ = try state.apply(event.decoded()) }
        let expected = state.rowKeys.count { $0.collection.isPublic && state.row($0).map { !$0.isDeleted } ?? false }
        let base = ["state", "--user", user.description, "--cache", "\(log.directory)/cache", "--json", "--at"]
        for _ in 0..<2 {
            let found = try await log.run(base + ["\(version)"])
            #expect(found.exitCode == 0 && found.lines.count == expected)
        }
        let last = events.last { $0.recordedAt <= events[version].recordedAt }
        let byTime = try await log.run(base + [events[version].recordedAt.rfc3339])
        let byVersion = try await log.run(base + ["\(try #require(last).version)"])
        #expect(byTime.output == byVersion.output && !byTime.output.isEmpty)
        #expect(try await log.run(base + ["\(events.count + 1)"]).exitCode == 1)
        #expect(try await log.run(base + ["yesterday"]).exitCode == 2)
    }

    @Test("A difference and a timeline tell of the same events; refusals, decisions and reasons are in words")
    func differenceAndTimeline() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (user, events) = try busiest(await log.events())
        let who = ["--user", user.description, "--no-cache"]
        let diff = try await log.run(["diff", "--from", "40", "--to", "41", "--json"] + who)
        #expect(diff.exitCode == 0)
        for line in diff.lines {
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let causes = try #require(row["events"] as? [[String: Any]])
            #expect(causes.map { $0["version"] as? Int } == [41])
        }
        let timeline = try await log.run(["timeline"] + who)
        #expect(timeline.exitCode == 0)
        #expect(timeline.lines.count { !$0.hasPrefix("      ") } == events.count, "a line for each event")
        #expect(timeline.output.contains("rings (N9.6: Nothing stands in its way.)"))
        #expect(timeline.output.contains("waits for the Focus to end (N9.4:"))
        #expect(timeline.output.contains("the badge of com.example."))
        let part = try await log.run(["timeline", "--from", "40", "--to", "41", "--json"] + who)
        #expect(part.lines.count == 1)
        #expect(try part.json()["version"] as? Int == 41)
        #expect(try await log.run(["diff", "--from", "41", "--to", "40"] + who).exitCode == 1)
    }

    @Test("What if: a table for people and a line per difference for scripts; a wrong rule is explained")
    func whatIf() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let rule = "\(log.directory)/rule"
        try "allow app com.example.messages in *\nroute accuracy 20\n"
            .write(toFile: rule, atomically: true, encoding: .utf8)
        let before = try await log.integer("SELECT sum(next_offset)::bigint FROM log_partitions")
        let found = try await log.run(["what-if", "--rule", rule, "--json"])
        #expect(found.exitCode == 0)
        let objects = try found.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let alerts = objects.filter { $0["kind"] as? String == "alert" }
        #expect(!alerts.isEmpty)
        #expect(alerts.allSatisfy { $0["app"] as? String == "com.example.messages" })
        #expect(alerts.allSatisfy { ["sooner", "rings"].contains($0["effect"] as? String) })
        let table = try await log.run(["what-if", "--rule", rule])
        #expect(table.lines[0].hasPrefix("APP") && table.lines[1].hasPrefix("com.example."))
        #expect(try await log.integer("SELECT sum(next_offset)::bigint FROM log_partitions") == before)
        try "allow app com.example.messages\n".write(toFile: rule, atomically: true, encoding: .utf8)
        #expect(try await log.run(["what-if", "--rule", rule]).exitCode == 1)
    }

    @Test("What if: a Focus, an app or a person that no event names is an error, which names those that there are")
    func whatIfNames() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (user, _) = try busiest(await log.events())
        let rule = "\(log.directory)/rule"
        let (there, messages) = ("There are: “work”", "There are: “com.example.messages”")
        for (line, complaint) in [
            ("allow app com.example.messages in wrok", "nobody has a Focus “wrok”. \(there)"),
            ("deny time-sensitive in wrok", "nobody has a Focus “wrok”. \(there)"),
            ("allow app com.example.mesages in *", "nobody has an app “com.example.mesages”. \(messages)"),
            ("set com.example.mesages alerts off", "nobody has an app “com.example.mesages”. \(messages)"),
            ("allow person nobody-at-all in *", "nobody has a person “nobody-at-all”. There are: “"),
        ] {
            try "\(line)\nroute accuracy 20\n".write(toFile: rule, atomically: true, encoding: .utf8)
            let (code, text) = try await log.complaint(["what-if", "--rule", rule])
            #expect(code == 1 && text.hasPrefix("Error: \(rule): \(complaint)"), "\(text)")
        }
        try "allow app com.example.messages in wrok\n".write(toFile: rule, atomically: true, encoding: .utf8)
        let (code, text) = try await log.complaint(["what-if", "--rule", rule, "--users", "\(user)", "--json"])
        #expect(code == 1 && text.contains("none of these users has a Focus “wrok”"), "\(text)")
    }

    @Test("What if as CSV: a header, and the differences that the JSON has")
    func whatIfCSV() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let rule = "\(log.directory)/rule"
        try "allow app com.example.messages in *\nroute accuracy 20\n"
            .write(toFile: rule, atomically: true, encoding: .utf8)
        let json = try await log.run(["what-if", "--rule", rule, "--json"])
        let csv = try await log.run(["what-if", "--rule", rule, "--format", "csv"])
        #expect(csv.exitCode == 0)
        let lines = csv.output.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let header = try #require(lines.first).components(separatedBy: ",")
        #expect(header.prefix(4) == ["user_id", "app_id", "kind", "effect"])
        #expect(lines.count == json.lines.count + 1 && json.lines.count > 3)
        for (line, object) in zip(lines.dropFirst(), json.lines) {
            let fields = line.components(separatedBy: ",")
            #expect(fields.count == header.count, "\(line)")
            let found = try #require(
                try JSONSerialization.jsonObject(with: Data(object.utf8)) as? [String: Any])
            #expect(fields[0] == found["user"] as? String && fields[1] == found["app"] as? String)
            #expect(fields[2] == found["kind"] as? String && fields[3] == found["effect"] as? String ?? "")
            let after = (found["after"] as? [String: Any])?["alert"] as? String
            #expect(fields[11] == after ?? "")
        }
        #expect(try await log.run(["what-if", "--rule", rule, "--format", "csv", "--json"]).exitCode == 2)
    }

    @Test("Advice and lint: sentences for people, a line each for scripts; nothing is written")
    func adviceAndLint() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (user, events) = try busiest(await log.events())
        let advice = try await log.run(["advise", "--user", user.description])
        #expect(advice.exitCode == 0 && !advice.lines.isEmpty)
        let rules = try await log.run(["advise", "--user", user.description, "--json"])
        for line in rules.lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard let rule = object["rule"] as? String else { continue }
            #expect(throws: Never.self) { try WhatIfRule(parsing: rule) }
        }
        let app = try #require(events.compactMap(\.app).first)
        let all = try await log.run(["lint", "--app", app.rawValue])
        #expect(all.exitCode == 0 && all.output.contains(" users"))
        let ids = Set(events.map { "\($0.id)" })
        let found = try await log.run(["lint", "--app", app.rawValue, "--user", user.description, "--json"])
        #expect(found.exitCode == 0)
        for line in found.lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(ids.contains(try #require(object["eventId"] as? String)))
            #expect(LintQuestion(rawValue: object["question"] as? String ?? "") != nil)
        }
        #expect(try await log.run(["lint", "--app", "no app"]).exitCode == 2)
    }

    @Test("A user whom the log has nothing of is an error, not somebody without rows, differences or effects")
    func unknownUser() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let rule = "\(log.directory)/rule"
        try "deny time-sensitive in sleep\n".write(toFile: rule, atomically: true, encoding: .utf8)
        let nobody = UUID().uuidString.lowercased()
        let (known, _) = try busiest(await log.events())
        for command in [
            ["state", "--user", nobody], ["state", "--user", nobody, "--at", "0", "--no-cache"],
            ["projections", "verify", "--user", nobody],
            ["what-if", "--rule", rule, "--users", nobody],
            ["what-if", "--rule", rule, "--users", "\(known),\(nobody)"],
            ["explain", "--user", nobody, "--app", "com.example.chat", "--badge"],
            ["replay", "--user", nobody], ["replay", "--format", "csv", "--user", nobody],
            ["advise", "--user", nobody], ["lint", "--app", "com.example.chat", "--user", nobody],
        ] {
            let found = try await log.run(command)
            #expect(found.exitCode == 1 && found.output.isEmpty, "\(command)")
        }
        #expect(try await log.run(["projections", "verify", "--user", "\(known)"]).exitCode == 0)
    }

    @Test("A log that holds anything is not filled again")
    func generate() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        #expect(try await log.run(["generate", "--events", "10", "--users", "1"]).exitCode == 1)
        let more = ["generate", "--events", "50", "--users", "2", "--seed", "77", "--append", "--json"]
        let made = try await log.run(more + ["--start", "2026-06-01T00:00:00Z"]).json()
        #expect(made["events"] as? Int == 50 && made["seed"] as? Int == 77)
        #expect(try #require(made["eventsPerSecond"] as? Double) > 0)
        #expect(try await log.run(["generate", "--days", "0"]).exitCode == 2)
    }

    @Test("A user whose events cannot be read is named and left out of what is told of all, and the exit code is 3")
    func damagedUser() async throws {
        let log = try await GeneratedDatabase()
        defer { log.remove() }
        let (user, events) = try busiest(await log.events())
        let app = try #require(events.compactMap(\.app).first)
        try await log.execute(TestStatement.makeUnreadable(user))
        let rule = "\(log.directory)/rule"
        try "route accuracy 20\n".write(toFile: rule, atomically: true, encoding: .utf8)
        for command in [["what-if", "--rule", rule], ["lint", "--app", app.rawValue]] {
            let (code, text) = try await log.complaint(command)
            #expect(code == 3 && text.contains("User \(user) is left out."), "\(text)")
            #expect(text.contains("in encoding 9"), "\(text)")
            #expect(try await log.run(command).output.contains("9 users"), "the others are told of")
        }
        for command in ["state", "timeline"] {
            let (code, text) = try await log.complaint([command, "--user", user.description, "--no-cache"])
            #expect(code == 3 && text.contains("in encoding 9"), "\(text)")
        }
    }
}
