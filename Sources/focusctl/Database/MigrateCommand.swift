import ArgumentParser
import EventStore
import PostgresClient
import Programs

/// `focusctl migrate`.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring a database to the schema that this program knows.",
        discussion: """
            focusd does the same when it starts. The role must own the schema. A migration
            is one transaction, or says that it runs outside of one: then servers go on
            appending meanwhile, it may take long, and what was cut off is done again.

            Until --finish, servers of the last release may still be started on the log:
            that is the way back. --dry-run tells what is left to do, and which servers
            are connected; those behind a pooler are not seen.

            Examples:
              focusctl migrate --database postgres://focusd@db/focus --dry-run
              focusctl migrate --database postgres://focusd@db/focus
              focusctl migrate --database postgres://focusd@db/focus --finish

            \(ExitStatus.help)
            """)

    @OptionGroup var source: DatabaseOptions
    @Flag(help: "Change nothing, say what would be applied and what is left to do.")
    var dryRun = false
    @Flag(
        help: """
            Then let the log hold every kind of event of this version, for good. Only when every server is of this \
            version: an earlier one cannot read the log any more, and does not start. Refused while one is connected. \
            Format 2: devices whose store was restored need not wait; 3: sessions of apps are told nothing of other \
            apps, and get one snapshot; 4: events of rules N17, N18 and N20.
            """)
    var finish = false
    @Option(help: "How many partitions a new log gets. Fixed for good when the log is made. Default: 16.")
    var partitions: Int32?

    func validate() throws {
        guard (1...1024).contains(partitions ?? 16) else { throw ValidationError("--partitions is 1 to 1024.") }
        guard !(dryRun && finish) else { throw ValidationError("--dry-run and --finish exclude each other.") }
    }

    func run() throws {
        let connection = try PostgresConnection(source.configuration("focusctl-migrate"))
        defer { connection.close() }
        let migrations = try Migrator.migrate(on: connection, partitions: partitions ?? 16, dryRun: dryRun) {
            progress in
            switch progress {
            case .applied: Terminal.line("\(progress)")
            case .waiting, .locked, .statement, .building: Terminal.complain("\(progress)")
            }
        }
        if dryRun {
            for migration in migrations { Terminal.line("would apply \(migration)") }
        }
        if let partitions, !dryRun {
            let made = try LogIdentity.read(on: connection).partitions
            guard made == partitions else {
                throw CommandFailure("The log was made with \(made) partitions, and keeps them for good.")
            }
        }
        let status = finish || dryRun ? try UpgradeStatus.read(on: connection) : nil
        if dryRun { status.map(Self.tell) }
        let format = finish ? try Migrator.finish(on: connection) : nil
        if let format { Terminal.line("the log has format \(format) now") }
        let isUnfinished = status.map { !$0.isFinished } ?? false
        if finish, isUnfinished { Terminal.line("earlier programs do not start on this log any more") }
        if migrations.isEmpty, !isUnfinished { Terminal.line("up to date") }
    }

    private static func tell(_ status: UpgradeStatus) {
        for server in status.servers { Terminal.line("\(server)") }
        let newest = EventStore.logFormats.upperBound
        if status.format < newest { Terminal.line("the log has format \(status.format), this program \(newest)") }
        if !status.isFinished {
            Terminal.line("servers of the last release may be started until `focusctl migrate --finish`")
        }
    }
}
