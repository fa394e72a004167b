import ArgumentParser
import Programs

/// `focusctl projections`.
struct ProjectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projections", abstract: "Look at the read model, verify it, build it anew.",
        discussion: """
            Examples:
              focusctl projections status
              focusctl projections verify --all
              focusctl projections rebuild --all --verify

            \(ExitStatus.help)
            """,
        subcommands: [
            ProjectionsStatusCommand.self, ProjectionsVerifyCommand.self, ProjectionsRebuildCommand.self,
            ProjectionsRollbackCommand.self, ProjectionsDropOldCommand.self,
        ])
}
