import Answers
import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import PostgresClient
import Programs

/// `focusctl device revoke`.
struct DeviceRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Shut a lost device out, on every server, for good.",
        discussion: """
            The operator says --data-dir or --database: the revocation goes into the
            log itself, and no device of the user is needed. Running servers take it
            at once. It is never refused, and done twice it is there once.

            A person does it from another device: the token is a system token of the
            same user.

            The device's connections end within a second and its tokens are not
            accepted any more, however long they are valid. What it appended stays.
            It cannot be taken back: the same person comes again with a new device
            id.

            Examples:
              focusctl device revoke --user $U --device $LOST --data-dir /var/lib/focusd
              focusctl device revoke --user $U --device $LOST \\
                --plaintext --token-file token

            With --json: {"user":"…","device":"…","status":"revoked","version":17}

            Exit codes: 0 revoked, 1 failed or refused, 2 usage.
            """)

    @Option(help: "Whose device it is; the token must be of this user.")
    var user: UserID
    @Option(help: "The device to shut out, a UUID.")
    var device: DeviceID
    @Flag(help: "JSON.")
    var json = false
    @OptionGroup(title: "On the log, as the operator")
    var log: DatabaseOptions
    @OptionGroup(title: "As a device of the user")
    var connection: ConnectionOptions

    private var isOnLog: Bool { log.database != nil || log.dataDir != nil }

    func validate() throws {
        guard device != .server else { throw ValidationError("The nil UUID is the server itself.") }
        guard !isOnLog || !connection.namesDevice else {
            throw ValidationError("Either --data-dir or --database, or a server and a token.")
        }
    }

    func run() async throws {
        if isOnLog { return try revokeOnLog() }
        try connection.requireToken(of: user)
        let client = try connection.makeClient()
        let outcomes: [AppendOutcome]
        do {
            outcomes = try await client.append([EventDraft(.deviceRevoked(DeviceRevoked(device: device)))])
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        guard let outcome = outcomes.first else { throw CommandFailure("The server gave no answer.") }
        if case .refused(let code, let message) = outcome.verdict { throw CommandFailure("\(code): \(message)") }
        show(outcome.version)
    }

    private func revokeOnLog() throws {
        let configuration = try log.configuration("focusctl")
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let identity = try LogIdentity.read(on: connection)
        let outcome = try OperatorRevocation(of: device, user: user).run(
            StoreConfiguration(configuration), in: identity)
        if outcome.eventsBefore == 0 {
            Terminal.complain("The log had no event of user \(user). Is the id right?")
        }
        show(outcome.version)
    }

    private func show(_ version: Version) {
        guard json else { return Terminal.line("\(device) is revoked (version \(version)).") }
        var text = JSONText()
        text.add("user", user.description)
        text.add("device", device.description)
        text.add("status", "revoked")
        text.add("version", version.rawValue)
        Terminal.line(text.text)
    }
}

extension ConnectionOptions {
    /// Throws unless the token is of this user, so that a person at the terminal never acts as another user by mistake.
    func requireToken(of user: UserID?) throws {
        guard let user else { return }
        let owner = try TokenContents(reading: tokenText()).owner
        guard owner.user == user else {
            throw ValidationError("The token is of user \(owner.user), not of \(user). Make one with `focusctl token`.")
        }
    }
}
