import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl fetch reach`.
struct FetchReachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reach",
        abstract: "Say whether a message to another user would ring now (rule F6).",
        discussion: """
            As far as that user shares it with the token's. Prints one of:
              ringsNow
              waits                 for a Focus, nobody knows until when; or
                                    nothing may be said, for whatever reason
              waits TIME            for a Focus, at most until then
              nextSummary TIME      with the summary that comes then
            With --json:
              {"user":"…","reach":"waits","at":"…"}
            The same question has one answer a minute, unless what `focusctl watch`
            shows has changed.

            Examples:
              focusctl fetch reach $PEER --communication --plaintext \\
                --token-file token
              focusctl fetch reach $PEER --level timeSensitive --json --plaintext \\
                --token-file token

            \(ExitStatus.help)
            """)

    @Argument(help: "The user whom the message would be for, a UUID.")
    var peer: UserID
    @Option(help: "The app by which it would come. Default: the token's.")
    var app: AppID?
    @Option(help: "passive, active, timeSensitive or critical. Default: active.")
    var level: ReachLevel?
    @Flag(help: "The token's user would write or call; it is decided as active.")
    var communication = false
    @OptionGroup var options: FetchOptions

    func validate() throws {
        if communication, level != nil { throw ValidationError("A communication has no level: give one of the two.") }
    }

    func run() async throws {
        try await options.ask { client in
            let reach = try await client.reach(
                peer, in: app, level: level?.level ?? .active, isCommunication: communication)
            Terminal.line(options.json ? ReachText.json(reach, of: peer) : ReachText.line(reach))
        }
    }
}

/// An interruption level as people write it.
enum ReachLevel: String, ExpressibleByArgument, CaseIterable {
    case passive, active, timeSensitive, critical

    var level: InterruptionLevel {
        switch self {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
    }
}
