import ArgumentParser

/// `focusctl projections`.
struct ProjectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections", abstract: "Look at the read model: how far it is, and whether it is right.",
        subcommands: [ProjectionsStatusCommand.self, ProjectionsVerifyCommand.self])
}
