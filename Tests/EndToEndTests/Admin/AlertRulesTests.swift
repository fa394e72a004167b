import AdminPort
import FocusCore
import Foundation
import Logging
import Support
import Testing

@testable import EventStore
@testable import SyncServer
@testable import focusd

/// The alerts and the dashboard, against what a server tells.
@Suite("Alerts", .fewAtATime) struct AlertRulesTests {
    /// The labels of a family's samples, each with its values.
    private struct Family {
        var kind: MetricFamily.Kind
        var labels: [String: Set<String>] = [:]
    }

    /// All families, those too that a server tells only of a certificate, a backup or a rebuild.
    private func families() async throws -> [String: Family] {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try await TLSFiles.make(in: directory)
        let told = try await TestServer.with(configure: {
            $0.security = .tls(certificateFile: files.certificate, keyFile: files.key)
        }) { server in
            let view = ServerView(
                server: server.server, restarts: { 0 }, clusterDirectory: directory,
                logged: { LogOutput.Counts() }, logger: Logger(label: "test"))
            try await awaiting("PostgreSQL has said what it has") {
                _ = await view.metrics()
                return server.server.storeFigures() != nil
            }
            return await view.metrics()
        }
        let now = Timestamp.now
        let backup = BackupRecord(tool: "test", beganAt: now, finishedAt: now, events: 1)
        let rebuild = UnfinishedRebuild(
            generation: 2, foldVersion: 1, kind: .rebuild, verifies: true, startedAt: now, partitions: 1, filled: 0,
            cutOver: 0, events: 0, eventsTotal: 1, standing: .working)
        var families: [String: Family] = [:]
        for family in told + MetricFamily.backup(backup) + MetricFamily.rebuild(rebuild) {
            var found = Family(kind: family.kind)
            for sample in family.samples {
                for label in sample.labels { found.labels[label.name, default: []].insert(label.value) }
            }
            families[family.name] = found
        }
        return families
    }

    /// What is wrong with a query.
    private func flaws(_ query: String, legend: String = "", _ families: [String: Family]) -> [String] {
        var flaws: [String] = []
        var known: Set<String> = ["instance", "job"]
        for selector in AlertRules.selectors(query) {
            let suffixes = ["", "_bucket", "_sum", "_count"]
            let family = suffixes.lazy.compactMap { suffix -> Family? in
                guard selector.metric.hasSuffix(suffix) else { return nil }
                let found = families[String(selector.metric.dropLast(suffix.count))]
                return suffix.isEmpty || found?.kind == .histogram ? found : nil
            }.first
            guard let family else {
                flaws.append("nobody tells \(selector.metric)")
                continue
            }
            if family.kind == .histogram, suffixes.dropFirst().allSatisfy({ !selector.metric.hasSuffix($0) }) {
                flaws.append("\(selector.metric) is a histogram")
            }
            known.formUnion(family.labels.keys)
            if selector.metric.hasSuffix("_bucket") { known.insert("le") }
            for label in selector.labels where !["instance", "job"].contains(label.name) {
                let values = family.labels[label.name] ?? []
                let named = label.operation == "=~" ? label.value.split(separator: "|").map(String.init) : [label.value]
                for value in named where !values.contains(value) {
                    flaws.append("\(selector.metric) has no \(label.name)=\(value)")
                }
            }
        }
        if AlertRules.selectors(query).isEmpty { flaws.append("asks for nothing of ours") }
        for label in AlertRules.groupings(query, legend: legend) where !known.contains(label) {
            flaws.append("no label \(label)")
        }
        return flaws
    }

    @Test("Alerts and dashboard ask for figures, labels and codes that the server tells, and for nothing else")
    func names() async throws {
        let families = try await families()
        let rules = try AlertRules()
        #expect(rules.alerts.count >= 30)
        for alert in rules.alerts where alert.name != "FocusdDown" {
            #expect(flaws(alert.expression, families) == [], "\(alert.name)")
        }
        let panels = try AlertRules.dashboard()
        #expect(panels.count >= 60)
        for panel in panels {
            #expect(flaws(panel.query, legend: panel.legend, families) == [], "\(panel.title): \(panel.query)")
        }
        for wrong in [
            "focus_sesions", "focus_ready{check=\"lane\"}", "focus_ready{chek=\"lanes\"}",
            "sum by (lane) (focus_sessions)", "focus_commit_seconds", "focus_sessions_count", "up == 0",
        ] {
            #expect(flaws(wrong, families) != [], "\(wrong)")
        }
    }

    @Test("Every alert says how long it waits, whom it wakes, and what to do; a test has it fire, and one has it not")
    func complete() throws {
        let rules = try AlertRules()
        let tests = try FileManager.default.contentsOfDirectory(
            at: Checkout.file("ops/prometheus/tests"), includingPropertiesForKeys: nil)
        let cases = try tests.flatMap {
            try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n  - name: \"").dropFirst()
        }
        #expect(Set(rules.alerts.map(\.name)).count == rules.alerts.count)
        for alert in rules.alerts {
            #expect(alert.rest.prefixMatch(of: /[1-9][0-9]*[mh]\n/) != nil, "\(alert.name) waits for no time")
            #expect(alert.rest.contains(/labels: \{severity: (page|ticket)\}\n/), "\(alert.name)")
            #expect(alert.rest.contains("summary: \""), "\(alert.name)")
            let runbook = alert.rest.components(separatedBy: "runbook: >-\n").last ?? ""
            #expect(runbook.count > 150 && runbook != alert.rest, "\(alert.name) has no runbook")
            let own = cases.filter { $0.hasPrefix(alert.name + ": ") }
            #expect(own.contains { $0.contains("value: 1") }, "no test has \(alert.name) fire")
            #expect(own.contains { !$0.contains("value: 1") }, "no test has \(alert.name) not fire")
        }
    }

    @Test("promtool takes the rules, the example's configuration and the dashboard's queries; the rules' tests pass")
    func promtool() async throws {
        guard let promtool = Promtool() else { return }
        let place = Checkout.file("ops/prometheus").path
        let tests = try FileManager.default.contentsOfDirectory(atPath: place + "/tests").map { "\(place)/tests/\($0)" }
        try await promtool.succeed(["check", "rules", place + "/rules.yml"])
        try await promtool.succeed(["check", "config", "--syntax-only", place + "/prometheus.yml"])
        try await promtool.succeed(["test", "rules"] + tests.sorted())
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let queries = try AlertRules.dashboard().enumerated().map { number, panel in
            let query = panel.query.replacing("$__rate_interval", with: "1m").replacing("$instance", with: ".*")
            let quoted = query.replacing("'", with: "''")
            return "  - record: panel_\(number)\n    expr: '\(quoted)'\n"
        }
        let file = directory + "/panels.yml"
        try "groups:\n- name: panels\n  rules:\n\(queries.joined())".write(
            toFile: file, atomically: true, encoding: .utf8)
        try await promtool.succeed(["check", "rules", file])
    }
}

/// Prometheus' own tool, where it is: `ops/test` sees to that.
struct Promtool {
    private let path: String

    /// Nil where it is not.
    init?() {
        let named = ProcessInfo.processInfo.environment["FOCUS_PROMTOOL"]
        let places: [String?] = [
            named, Checkout.file(".build/prometheus/usr/bin/promtool").path, "/usr/bin/promtool",
        ]
        guard let path = places.compactMap({ $0 }).first(where: FileManager.default.isExecutableFile) else {
            return nil
        }
        self.path = path
    }

    /// - Parameter input: the file for its standard input.
    func succeed(_ arguments: [String], input: String? = nil) async throws {
        let errors = try TestDirectory.make() + "/errors"
        let child = try ChildProcess(path, arguments, input: input ?? "/dev/null", errors: errors)
        let output = await child.rest()
        let code = await child.exitCode()
        let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        #expect(code == 0, "promtool \(arguments.joined(separator: " ")): \(output)\(text)")
        try FileManager.default.removeItem(atPath: URL(fileURLWithPath: errors).deletingLastPathComponent().path)
    }
}
