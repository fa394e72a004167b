import ArgumentParser
import EventStore
import PostgresClient

/// `focusctl migrate`.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a database to the schema that this program knows.",
        discussion: """
            focusd does the same when it starts. The role must own the schema. Each
            migration is one transaction.

            Examples:
              focusctl migrate --database postgres://focusd@db/focus --dry-run
              focusctl migrate --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @OptionGroup var source: DatabaseOptions
    @Flag(help: "Change nothing, say what would be applied.")
    var dryRun = false
    @Option(help: "How many partitions a new log gets. Fixed for good when the log is made.")
    var partitions: Int32 = 16

    func validate() throws {
        guard (1...1024).contains(partitions) else { throw ValidationError("--partitions is 1 to 1024.") }
    }

    func run() throws {
        let connection = try PostgresConnection(source.configuration("focusctl-migrate"))
        defer { connection.close() }
        let migrations = try Migrator.migrate(on: connection, partitions: partitions, dryRun: dryRun)
        for migration in migrations { Terminal.line("\(dryRun ? "would apply" : "applied") \(migration)") }
        if migrations.isEmpty { Terminal.line("up to date") }
    }
}
