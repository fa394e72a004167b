import Conformance
import FocusCore
import Foundation
import Testing
import Tokens

@testable import SyncServer

/// The conformance suite, which anybody may run over the network, passes against our own server.
@Suite("Conformance", .fewAtATime) struct ConformanceTests {
    @Test(
        """
        focus-conformance: every case passes against a focusd alone in the clear, over TLS, and against four behind \
        PgBouncer; killed, restarted, muted, rebuilt and restored
        """, arguments: ConformanceStage.Kind.allCases)
    func passes(_ kind: ConformanceStage.Kind) async throws {
        let stage = try await ConformanceStage(kind)
        let report = stage.file("report.xml")
        let program = try ChildProcess(
            FocusdProcess.binary("focus-conformance"), ["--json", "--junit", report] + stage.arguments,
            environment: ["HURT_SECONDS": "120"])
        let output = await program.rest()
        #expect(await program.exitCode() == 0)
        let results = try output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let ended = Set(results.compactMap { $0["case"] as? String })
        #expect(Conformance.cases.map(\.title).filter { !ended.contains($0) } == [], "\(kind): did not end")
        #expect(results.count == Conformance.cases.count)
        for result in results where result["result"] as? String != "passed" {
            let reason = result["reason"] as? String ?? ""
            #expect(
                result["result"] as? String == "skipped" && kind.lacks.contains { reason.contains($0) },
                "\(kind): \(result)")
        }
        for result in results where (result["case"] as? String)?.contains("(fails from ") == true {
            let isMeasured = result["measuredSeconds"] is Double
            #expect(isMeasured || result["result"] as? String == "skipped", "\(kind): \(result)")
        }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.components(separatedBy: "<testcase ").count == results.count + 1)
        await stage.remove()
    }

    @Test("A server that breaks a rule fails cases of that rule, and no other")
    func judges() async throws {
        // The server accepts larger frames before Hello than the protocol allows.
        var limits = SessionLimits()
        limits.frameBytesBeforeHello = 128 * 1024
        try await TestServer.with(limits: limits) { server in
            var target = ConformanceTarget(
                server: .init(host: "127.0.0.1", port: server.port), security: .plaintext,
                token: { try TestServer.token($0) })
            // The time for which the failing case waits for an answer that does not come; long enough that a slow case
            // does not fail.
            target.patienceSeconds = 45
            let cases = Conformance.cases.filter { ["W1", "W2", "W3"].contains($0.rule) }
            let failed = await ConformanceRun(cases, on: target).results().filter(\.hasFailed)
            #expect(!failed.isEmpty && failed.allSatisfy { $0.rule == "W1" })
        }
    }
}

extension TestServer {
    static func token(_ request: TokenRequest) throws -> String {
        try token(
            request.user, request.device, request.scope, expiresIn: request.seconds,
            key: .secret(request.isForged ? Array(UUID().uuidString.utf8) : secret))
    }
}
