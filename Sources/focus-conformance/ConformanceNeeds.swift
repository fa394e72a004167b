import ArgumentParser
import Conformance
import FocusSyncClient
import Programs
import Tokens

/// The commands with which cases may hurt the server, as far as its operator gives them.
struct ConformanceNeeds: ParsableArguments {
    @Option(help: "Kills the server (SIGKILL), starts it again, and returns when it accepts.")
    var restartServer: String?
    @Option(
        help: """
            Makes a server accept that dies by itself between its next commit and the acknowledgement: a debug build \
            restarted with FOCUSD_FAULT=committed:1.
            """)
    var crashServer: String?
    @Option(help: "Sends SIGTERM, fails unless the server exits 0, starts it again, returns when it accepts.")
    var terminateServer: String?
    @Option(help: "Restarts the server's PostgreSQL; may return at once.")
    var restartDatabase: String?
    @Option(help: "From now on no NOTIFY reaches a server.")
    var stopNotifications: String?
    @Option(help: "Ends that.")
    var startNotifications: String?
    @Option(help: "Builds the read model anew, as `focusctl projections rebuild --all` does.")
    var rebuild: String?
    @Option(
        help: """
            Sets the log back to a backup from before the suite began, with every server of the log stopped meanwhile; \
            returns when they accept again.
            """)
    var restoreDatabase: String?

    func target(
        servers: [ServerAddress], security: ConformanceTarget.Security, key: TokenSigner
    ) throws -> ConformanceTarget {
        let addresses = servers.map { ConformanceTarget.Address(host: $0.host, port: $0.port) }
        var target = ConformanceTarget(
            server: addresses[0], security: security, token: { try key.token($0) })
        target.others = Array(addresses.dropFirst())
        let commands: [ConformanceNeed: String?] = [
            .restartServer: restartServer, .crashServer: crashServer, .terminateServer: terminateServer,
            .restartDatabase: restartDatabase, .stopNotifications: stopNotifications,
            .startNotifications: startNotifications, .rebuild: rebuild, .restoreDatabase: restoreDatabase,
        ]
        for case (let need, let command?) in commands {
            target.commands[need] = { try await ShellCommand(command).run() }
        }
        return target
    }
}
