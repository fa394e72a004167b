import ArgumentParser
import Conformance
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Programs
import Tokens

/// Checks any server of the sync protocol, ours or another's, against every rule that shows from outside. A program
/// of its own, because whoever
/// writes a server of their own needs this and no other part of ours.
///
/// Flow: options → `ConformanceNeeds.target` (addresses, tokens, what may hurt the server) → `ConformanceRun` of the
/// library `Conformance` → a line for each case that ends (`ConformanceProgress`) → a table (`ConformanceText`), and JUnit
/// XML when it is asked for.
@main
struct FocusConformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus-conformance",
        abstract: "Check a server against the rules of the sync protocol that show over the network.",
        discussion: """
            Plays users and devices of its own, with random ids: what others have
            on the server is not touched, but its log keeps what is appended here
            (about 40,000 events). Takes two to three minutes: some rules name times
            to wait for. Cases that hurt the server run only when you give the
            command that does it, to the first --server; a command runs under /bin/sh.

            With --json, one object per case when it ends:
              {"rule":"P1","case":"…","result":"failed","reason":"…","seconds":0.4}
            result is passed, failed or skipped; reason is absent when it passed. A
            case of a rule that names a time has measuredSeconds when it passed. With
            --list, needs has the options that it waits for, "" for none:
              {"rule":"P2","case":"…","needs":"--restart-server"}

            Examples:
              focus-conformance --plaintext --data-dir /tmp/tour
              focus-conformance --server sync.example.com:7464 \\
                --key token.key --junit conformance.xml
              focus-conformance --plaintext --rule P1 --rule P2 \\
                --restart-server 'ops/lib/hurt restart /tmp/tour'
              focus-conformance --plaintext --data-dir /tmp/one \\
                --server 127.0.0.1:7464 --server 127.0.0.1:7465 \\
                --rebuild 'focusctl projections rebuild --all --data-dir /tmp/one'

            \(ExitStatus.help)
            """, version: FocusCore.version)

    @Option(
        help:
            "The server's host:port. Repeatable, for others of its log. Default: FOCUS_SERVER, else 127.0.0.1:7464."
    )
    var server: [ServerAddress] = []
    @Flag(help: "No TLS. Loopback only.")
    var plaintext = false
    @Option(help: "PEM file of certificates to trust instead of the system's.")
    var tlsCa: String?
    @Option(help: "File with the key of tokens: an HS256 secret in hex, or an Ed25519 private key (PEM).")
    var key: String?
    @Option(help: "Data directory of focusd, whose key is used. Default: focusd's own default.")
    var dataDir: String?
    @Option(help: "Only cases of this rule, for example P2. Repeatable.")
    var rule: [String] = []
    @Option(help: "Write the results as JUnit XML to this file.")
    var junit: String?
    @Flag(help: "Print one JSON object for each case when it ends instead of a table.")
    var json = false
    @Flag(help: "Print the cases and what they need, and do nothing.")
    var list = false
    @OptionGroup(title: "To hurt the server")
    var needs: ConformanceNeeds

    static func main() async { await Programs.run(FocusConformance.self) }

    func validate() throws {
        try ServerAddress.checkEnvironment()
        if plaintext, tlsCa != nil { throw ValidationError("Either --plaintext or --tls-ca.") }
        if key != nil, dataDir != nil { throw ValidationError("Either --key or --data-dir.") }
        let known = Set(Conformance.cases.map(\.rule))
        for rule in rule where !known.contains(rule) {
            throw ValidationError("No case is of a rule \(rule). `focus-conformance --list` names them.")
        }
    }

    func run() async throws {
        let cases = Conformance.cases.filter { rule.isEmpty || rule.contains($0.rule) }
        if list { return ConformanceText.list(cases, json: json).forEach(Terminal.line) }
        let servers = server.isEmpty ? [ServerAddress.usual] : server
        let target = try needs.target(
            servers: servers, security: plaintext ? .plaintext : .tls(trustFile: tlsCa), key: try signingKey())
        // Written now, so that a file that cannot be written is found before minutes of work, and an interrupted run
        // leaves no results of an earlier one there.
        if let junit { try write(JUnitReport([]).text, to: junit) }
        try await reach(target, servers[0])
        let progress = ConformanceProgress(cases.count, json: json)
        let results = await ConformanceRun(cases, on: target).results { progress.show($0) }
        if !json { ConformanceText.table(results).forEach(Terminal.line) }
        if let junit { try write(JUnitReport(results).text, to: junit) }
        let failed = results.filter(\.hasFailed).count
        guard failed == 0 else { throw CommandFailure("\(failed) of \(results.count) cases failed.") }
    }

    private func signingKey() throws -> TokenSigner {
        try TokenSigner(file: key ?? (dataDir ?? EmbeddedCluster.defaultDataDirectory) + "/token.key")
    }

    /// Opens one session first, so that a server out of reach gives one clear sentence instead of a failure for each
    /// case.
    private func reach(_ target: ConformanceTarget, _ server: ServerAddress) async throws {
        do {
            try await ConformanceRun.probe(target)
        } catch {
            throw CommandFailure("No session with \(server): \(error). Is it a focus-sync server, and --key its key?")
        }
    }

    private func write(_ text: String, to file: String) throws {
        do {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        } catch {
            throw CommandFailure("\(file) cannot be written: \(error.localizedDescription)")
        }
    }
}
