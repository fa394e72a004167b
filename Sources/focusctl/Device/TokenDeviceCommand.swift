import ArgumentParser
import EventStore
import FocusCore
import Foundation
import Programs
import Tokens

/// `focusctl token device`, and `focusctl token` without a further word.
struct TokenDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Make a token for a device, and print it.",
        discussion: """
            Signs with the key of the focusd on this machine, which makes it at its
            first start, or with --key.

            Examples:
              focusctl token device --user $U --device $D --system
              focusctl token device --user $U --device $D --app com.example.chat \\
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
    @OptionGroup var source: SigningKeyOptions

    func validate() throws {
        guard (app != nil) != system else { throw ValidationError("Give --app X or --system.") }
        // Servers accept at most 400 days (rule A1); the difference is for clocks that differ.
        guard expires <= Lifetime(days: 366) else { throw ValidationError("--expires is 366d at most.") }
        guard device != .server else { throw ValidationError("The nil UUID is the server itself.") }
        guard audience != AdminClaims.audience else {
            throw ValidationError("That audience is of operators' tokens: focusctl token admin.")
        }
    }

    func run() throws {
        Terminal.line(
            try source.signer().token(
                user: user, device: device, scope: app.map { .app($0) } ?? .system, seconds: Double(expires.seconds),
                deviceClass: deviceClass, issuer: issuer, audience: audience))
    }
}
