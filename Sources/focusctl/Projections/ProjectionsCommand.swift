import ArgumentParser

/// `focusctl projections`.
struct ProjectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections", abstract: "Look at the read model, verify it, build it anew.",
        subcommands: [
            ProjectionsStatusCommand.self, ProjectionsVerifyCommand.self, ProjectionsRebuildCommand.self,
            ProjectionsRollbackCommand.self, ProjectionsDropOldCommand.self,
        ])
}
