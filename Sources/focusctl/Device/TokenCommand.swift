import ArgumentParser
import Programs

/// `focusctl token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token, for a device or for an operator, and print it.",
        discussion: """
            Signs with the key of the focusd on this machine, which makes it at its
            first start, or with --key. Without a word it makes a device's.

            Examples:
              focusctl token --user $U --device $D --system
              focusctl token --user $U --device $D --app com.example.chat \\
                --class watch --expires 12h
              focusctl token admin --name olga

            \(ExitStatus.help)
            """,
        subcommands: [TokenDeviceCommand.self, TokenAdminCommand.self],
        defaultSubcommand: TokenDeviceCommand.self)
}
