import ArgumentParser
import EventStore
import FocusCore
import Foundation
import Programs
import Tokens

/// `focusctl token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token for a device, and print it.",
        discussion: """
            Signs with the key of the focusd on this machine, which makes it at its
            first start, or with --key.

            Examples:
              focusctl token --user $U --device $D --system
              focusctl token --user $U --device $D --app com.example.chat \\
                --class watch --expires 12h

            \(ExitStatus.help)
            """)

    @Option(help: "The user, a UUID.")
    var user: UserID
    @Option(help: "The device, a UUID; a new one for each install.")
    var device: DeviceID
    @Option(help: "For one app: events and rows of that app only.")
    var app: AppID?
    @Flag(help: "For the device's own agent: everything of the user.")
    var system = false
    @Option(name: .customLong("class"), help: "phone, tablet, watch or desktop; fixes what the device may call itself.")
    var deviceClass: DeviceClass?
    @Option(help: "How long it is valid, for example 90s, 15m, 12h or 30d; 366d at most.")
    var expires = Lifetime(days: 30)
    @Option(help: "What the server demands as the token's issuer (focusd --token-issuer).")
    var issuer: String?
    @Option(help: "What the server demands as the token's audience (focusd --token-audience).")
    var audience: String?
    @Option(
        help: "File with the key: keys of `focusctl keys`, an HS256 secret in hex, or an Ed25519 private key (PEM).")
    var key: String?
    @Option(help: "Data directory of focusd, whose key is used. Default: focusd's own default.")
    var dataDir: String?

    func validate() throws {
        guard (app != nil) != system else { throw ValidationError("Give --app X or --system.") }
        // Servers accept at most 400 days (rule A1); the difference is for clocks that differ.
        guard expires <= Lifetime(days: 366) else { throw ValidationError("--expires is 366d at most.") }
        guard device != .server else { throw ValidationError("The nil UUID is the server itself.") }
        if key != nil, dataDir != nil { throw ValidationError("Either --key or --data-dir.") }
    }

    func run() throws {
        let file = key ?? (dataDir ?? EmbeddedCluster.defaultDataDirectory) + "/token.key"
        Terminal.line(
            try TokenSigner(file: file).token(
                user: user, device: device, scope: app.map { .app($0) } ?? .system, seconds: Double(expires.seconds),
                deviceClass: deviceClass, issuer: issuer, audience: audience))
    }
}
