import ArgumentParser
import EventStore
import Programs

/// `focusctl restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a cluster of a backup, in a new place.",
        discussion: """
            Checks every file against the backup's manifest, copies, and leaves the backup as it is. Nothing is written
            over: the place must be new or empty, and no focusd may run there. A custom.conf that is there stays, and else
            comes from the backup. Start the server with the same token key
            (and receipt key) as before; devices then give the log back what it had acknowledged after the backup, and
            `focusctl lost` lists what none of them holds any more.

            Examples:
              focusctl restore --from /backups/2026-05-04 --data-dir /var/lib/focusd
              focusctl restore --from /backups/2026-05-04 \\
                --pgdata /var/lib/postgresql/15/focus

            \(ExitStatus.help)
            """)

    @Option(help: "The backup's directory.")
    var from: String
    @Option(help: "Data directory of focusd: its own PostgreSQL will run on the copy. Keys in it stay.")
    var dataDir: String?
    @Option(help: "Directory (PGDATA) of a PostgreSQL server of yours, which does not run.")
    var pgdata: String?

    func validate() throws {
        guard (dataDir == nil) != (pgdata == nil) else {
            throw ValidationError("Give --data-dir (focusd's own PostgreSQL) or --pgdata (a server of yours).")
        }
    }

    func run() throws {
        let backup = try BaseBackup(directory: from)
        Terminal.complain("Checking every file of \(from) …")
        let display = ByteProgress("copied")
        let flag = StopFlag()
        let interruption = Interruption { flag.set() }
        defer { withExtendedLifetime(interruption) {} }
        if let dataDir {
            try backup.restore(dataDirectory: dataDir, unless: flag, progress: display.show)
            display.clear()
            Terminal.line("Restored into \(dataDir). Next:")
            Terminal.line("  1. Put the token key (token.key, and receipt.key if there was one) of before into it.")
            Terminal.line("  2. focusd serve --data-dir \(dataDir) …")
        } else if let pgdata {
            try backup.restore(cluster: pgdata, unless: flag, progress: display.show)
            display.clear()
            Terminal.line("Restored into \(pgdata). Next:")
            Terminal.line("  1. Give the files to the server's user: chown -R postgres: \(pgdata)")
            if backup.isEmbedded {
                Terminal.line(
                    "     Write a postgresql.conf and a pg_hba.conf: those in it are of focusd's own PostgreSQL,")
                Terminal.line(
                    "     which has no TCP and trusts whoever can enter the directory of its socket. Your settings")
                Terminal.line("     for it are in \(backup.customConfiguration).")
            }
            Terminal.line("  2. Start PostgreSQL on it; it recovers to the end of the backup.")
            Terminal.line("  3. focusd serve --database … with the same token key and receipt key as before.")
        }
        Terminal.line("Then wait until devices have connected, and ask: focusctl lost")
    }
}
