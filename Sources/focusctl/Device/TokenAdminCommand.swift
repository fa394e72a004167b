import ArgumentParser
import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Programs
import Tokens

/// `focusctl token admin`.
struct TokenAdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Make a token for an operator, and print it.",
        discussion: """
            For the port of focusd (--admin) that shows who is connected and how
            the server does. It changes nothing, and is no device's token.

            Example:
              focusctl token admin --name olga --expires 12h > admin.token
              curl -H "Authorization: Bearer $(cat admin.token)" \\
                http://127.0.0.1:9464/v1/sessions

            \(ExitStatus.help)
            """)

    @Option(help: "Who it is for: a name of at most 64 bytes.")
    var name: String
    @Option(help: "How long it is valid, for example 15m, 12h or 30d; 30d at most.")
    var expires = Lifetime(days: 1)
    @Option(help: "What the server demands as the token's issuer (focusd --token-issuer).")
    var issuer: String?
    @OptionGroup var source: SigningKeyOptions

    func validate() throws {
        guard AdminClaims.isName(name) else { throw ValidationError("--name is 1 to 64 bytes of text in one line.") }
        guard expires <= Lifetime(days: 30) else { throw ValidationError("--expires is 30d at most.") }
    }

    func run() throws {
        let expiry = Timestamp.now.adding(microseconds: expires.seconds * 1_000_000)
        Terminal.line(try source.signer().token(AdminClaims(name: name, expiresAt: expiry, issuer: issuer)))
    }
}
