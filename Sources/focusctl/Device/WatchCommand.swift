import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Foundation
import Programs

/// `focusctl watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show whether other users' Focus is on, as far as they share it, and every change.",
        discussion: """
            Ends at SIGINT or SIGTERM. A user shares the status in an app with the
            members of its audience (event audience.changed). A token for an app
            sees that app's; a system token sees each app's where its user is a
            member. Unavailable does not say why, nor whether there is such a user.
            What the server does not tell again within a minute is unavailable too.

            One line for each change: the peer, the app (* for all), the status.
            With --json:
              {"user":"…","app":"com.example.chat","status":"focused"}
            status is focused, notFocused or unavailable.

            Examples:
              focusctl watch $PEER --plaintext --token-file token
              focusctl watch --user $U $ANNA $BEN --json --plaintext \\
                --token-file token

            Exit codes: 0 stopped by SIGINT or SIGTERM, 1 failed, 2 usage.
            """)

    @Argument(help: "The users to watch, UUIDs; at most \(SyncClient.watchLimit).")
    var peers: [UserID]
    @Option(help: "Who watches: the user that the token must be of. Default: whoever it is of.")
    var user: UserID?
    @Flag(help: "JSON, one object per line.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard Set(peers).count <= SyncClient.watchLimit else {
            throw ValidationError("At most \(SyncClient.watchLimit) users can be watched.")
        }
    }

    func run() async throws {
        try connection.requireToken(of: user)
        let client = try connection.makeClient { configuration in
            configuration.onUpdate = { Self.complain($0) }
            configuration.maximumAttempts = nil
        }
        let signals = Interruption { Task { await client.close() } }
        defer { withExtendedLifetime(signals) {} }
        let changes = try await client.watch(Set(peers))
        let asJSON = json
        let printing = Task {
            for await statuses in changes {
                for status in statuses { Terminal.line(Self.line(status, asJSON: asJSON)) }
            }
        }
        do {
            try await client.waitUntilStopped()
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        await printing.value
    }

    private static func line(_ status: PeerStatus, asJSON json: Bool) -> String {
        let word = status.isFocused.map { $0 ? "focused" : "notFocused" } ?? "unavailable"
        guard json else { return "\(status.user) \(status.app?.rawValue ?? "*") \(word)" }
        var text = JSONText()
        text.add("user", status.user.description)
        text.add("app", status.app?.rawValue)
        text.add("status", word)
        return text.text
    }

    private static func complain(_ update: SyncUpdate) {
        switch update {
        case .serverError(let error): Terminal.complain("\(error.code.rawValue): \(error.message)")
        case .disconnected(let problem, let wait): Terminal.complain("\(problem) (connecting again in \(wait) ms)")
        case .connected, .rows, .acknowledged, .verified, .diverged, .appendsDelayed, .newIncarnation, .tokenExpires,
            .recalling, .recallWaits, .recalled, .healing, .healed, .erased, .stopped:
            break
        }
    }
}
