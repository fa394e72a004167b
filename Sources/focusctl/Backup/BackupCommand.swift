import Answers
import ArgumentParser
import EventStore
import FocusCore
import PostgresClient
import Programs

/// `focusctl backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the whole PostgreSQL cluster while it runs, and check the copy.",
        discussion: """
            Around pg_basebackup (files, and the WAL written meanwhile) and pg_verifybackup. Devices go on. With
            --database the role must have REPLICATION, and pg_hba.conf must let it replicate.

            The key of tokens and receipts (token.key, receipt.key in the data directory, or what --token-key and
            --receipt-key name) is not in the backup: keep it, apart from the backup. With it, devices give a restored
            log back what it had acknowledged after the backup. Settings of focusd's own PostgreSQL (custom.conf in the
            data directory) are in it.

            With --json, one object; log is the log's id:
              {"directory":"/backups/2026-05-04","log":"…","eventsAtLeast":120000}

            Examples:
              focusctl backup --to /backups/2026-05-04
              focusctl backup --to /backups/2026-05-04 \\
                --database postgres://focusd@db/focus

            \(ExitStatus.help)
            """)

    @Option(help: "Directory for the backup: a new one, or an empty one.")
    var to: String
    @Flag(help: "Print the result as JSON.")
    var json = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let configuration = try source.configuration("focusctl-backup")
        let (log, heads) = try readHeads(configuration)
        let begin = ContinuousClock.now
        let display = ByteProgress("copied")
        let flag = StopFlag()
        let interruption = Interruption { flag.set() }
        defer { withExtendedLifetime(interruption) {} }
        let backup = try BaseBackup.take(
            conninfo: configuration.conninfo, of: source.embeddedDirectory, to: to, unless: flag,
            progress: display.show
        ) {
            display.clear()
            Terminal.complain("Checking every file of \(to) …")
        }
        let events = heads.reduce(0) { $0 + $1.nextOffset.rawValue }
        record(events: events, took: ContinuousClock.now - begin, configuration)
        if json {
            var text = JSONText()
            text.add("directory", backup.directory)
            text.add("log", log.log.description)
            text.add("eventsAtLeast", events)
            Terminal.line(text.text)
        } else {
            Terminal.line("Backup of log \(log.log) in \(backup.directory): \(events) events at least, checked.")
            let place = backup.isEmbedded ? "--data-dir" : "--pgdata"
            Terminal.line("To restore it: focusctl restore --from \(backup.directory) \(place) NEW")
            Terminal.line("Keep the server's token key (and receipt key) too, apart from the backup.")
        }
    }

    /// Tells the log of the backup, for whoever watches it. A backup that the log cannot be told of is as good.
    private func record(events: Int64, took duration: Duration, _ configuration: PostgresConfiguration) {
        do {
            let connection = try PostgresConnection(configuration)
            defer { connection.close() }
            let microseconds = Int64(duration / .microseconds(1))
            try BackupRecord.record(
                tool: "focusctl backup", microseconds: microseconds, events: events, on: connection)
        } catch {
            Terminal.complain("The backup is made and checked, and the log could not be told of it: \(error)")
        }
    }

    /// What the log holds when the backup begins; the backup holds at least that.
    private func readHeads(_ configuration: PostgresConfiguration) throws -> (LogIdentity, [PartitionHead]) {
        let connection = try PostgresConnection(configuration)
        defer { connection.close() }
        let log = try LogIdentity.read(on: connection)
        return (log, try LogReader().heads(of: log.allPartitions, on: connection))
    }
}
