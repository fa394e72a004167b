import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl device revoke`.
struct DeviceRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Shut a lost device out, on every server, for good.",
        discussion: """
            Appends device.revoked to the user's stream, through the protocol: the
            token is a system token of the same user, on another device (an
            operator makes one with `focusctl token --system`). The device's
            connections end within a second and its tokens are not accepted any
            more, however long they are valid. What it appended stays. It cannot be
            taken back: the same person comes again with a new device id.

            Example:
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
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard device != .server else { throw ValidationError("The nil UUID is the server itself.") }
    }

    func run() async throws {
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
        guard json else { return Terminal.line("\(device) is revoked (version \(outcome.version)).") }
        var text = JSONText()
        text.add("user", user.description)
        text.add("device", device.description)
        text.add("status", "revoked")
        text.add("version", outcome.version.rawValue)
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
