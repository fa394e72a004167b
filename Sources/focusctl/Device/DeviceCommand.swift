import ArgumentParser
import Programs

/// `focusctl device`.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Administer a user's devices.",
        discussion: """
            Example:
              focusctl device revoke --user $U --device $LOST \\
                --plaintext --token-file token

            \(ExitStatus.help)
            """,
        subcommands: [DeviceRevokeCommand.self])
}
