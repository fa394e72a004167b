import Answers
import ArgumentParser
import Programs
import Tokens

/// `focusctl keys use`.
struct KeysUseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Sign new tokens with a key that is there; all others go on being checked with.",
        discussion: """
            Run it when every server has the key: a server without it refuses its
            tokens.

            Examples:
              focusctl keys use k-1a2b3c4d
              focusctl keys use unnamed      # the key from before there were names

            With --json: {"kid":"k-1a2b3c4d","status":"signs"}

            \(ExitStatus.help)
            """)

    @Argument(help: "The key's name, as `focusctl keys list` shows it.")
    var kid: String
    @Flag(help: "JSON.")
    var json = false
    @OptionGroup var options: KeyFileOptions

    func run() throws {
        let found = try options.existing()
        var keys = found.keys.keys
        let index = try found.keys.index(of: kid, in: options.path)
        guard keys[index].signing != nil else { throw CommandFailure("Of \(kid) there is only the public half.") }
        guard keys[index].retiresAt == nil else { throw CommandFailure("\(kid) is retired. Add another one.") }
        for other in keys.indices { keys[other].signs = other == index }
        try options.replace(found.text, with: keys)
        guard json else { return Terminal.line("New tokens are signed with \(kid).") }
        var text = JSONText()
        text.addRaw("kid", keys[index].id.map(JSONText.string) ?? "null")
        text.add("status", "signs")
        Terminal.line(text.text)
    }
}
