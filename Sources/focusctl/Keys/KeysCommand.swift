import ArgumentParser
import Programs

/// `focusctl keys`.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Keep the keys that tokens are signed and checked with.",
        discussion: """
            Several keys are valid at once, each with a name that its tokens carry
            (kid), so one can take over from another without anybody being shut
            out. A running focusd takes a changed file within 5 seconds.

            Examples, to rotate: a new key is checked with, new tokens are signed with
            it, and the one before goes when its tokens have ended:
              focusctl keys add
              focusctl keys use k-1a2b3c4d
              focusctl keys retire k-99887766 --after 30d

            With several servers, give each the file after every step, before the
            next one (of EdDSA the public halves: focusctl keys list --public).

            After a theft: add, use, issue new tokens, then
              focusctl keys retire k-99887766 --now
            ends every session and token of the stolen key at once.

            Receipts have a key of their own (receipt.key), which none of this
            changes.

            \(ExitStatus.help)
            """,
        subcommands: [KeysListCommand.self, KeysAddCommand.self, KeysUseCommand.self, KeysRetireCommand.self])
}
