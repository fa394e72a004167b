import ArgumentParser
import Programs

/// `focusctl device`.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Administer a user's devices.",
        discussion: """
            Example:
              focusctl device revoke --user $U --device $LOST --data-dir /var/lib/focusd

            \(ExitStatus.help)
            """,
        subcommands: [DeviceRevokeCommand.self])
}
