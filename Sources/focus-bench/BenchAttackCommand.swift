import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Programs
import Tokens

/// `focus-bench attack`.
struct BenchAttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Ask a server for the dearest work there is, from one device, as much as it takes.",
        discussion: """
            One device of one user, with a valid token, first builds up what makes its
            work dear: 10,000 listed notifications, or a route of 300,000 points. Then it
            says "ready", waits for a line on its standard input, and sends as much work
            of the kind as its session takes, for the given time. Rule Q1 says what others
            may notice of it; `ops/bench fairness` measures that.

            Kinds: \(AttackKind.allCases.map(\.rawValue).joined(separator: ", "))

            This writes into the log for good. Do not point it at a log that matters.

            Example:
              focus-bench attack --plaintext --kind categories --seconds 10 < /dev/null

            \(ExitStatus.help)
            """)

    @Option(help: "The server's host:port.")
    var server = ServerAddress.usual
    @Flag(help: "No TLS; required, as load is generated in the clear only.")
    var plaintext = false
    @Option(help: "File with the key that tokens are signed with. Default: that of the focusd on this machine.")
    var key: String?
    @Option(help: "What to ask for.")
    var kind: AttackKind
    @Option(help: "For how long, 1 to 3600.")
    var seconds = 10

    func validate() throws {
        guard plaintext else { throw ValidationError("Give --plaintext: load is generated in the clear only.") }
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600.") }
    }

    func run() async throws {
        let signer = try TokenSigner(file: key ?? EmbeddedCluster.defaultDataDirectory + "/token.key")
        let token = try signer.token(user: UserID(UUID()), device: DeviceID(UUID()), scope: .system, seconds: 86_400)
        let attack = try AttackRun(
            kind, server: server, token: token, incarnation: Incarnation(.random(in: 1...(1 << 40))))
        try attack.prepare()
        Terminal.line("ready")
        _ = readLine()
        Terminal.line(try attack.run(seconds: seconds).json)
    }
}
