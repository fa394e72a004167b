import Foundation
import Support
import Testing

@testable import EventStore

@Suite("BaseBackup") struct BaseBackupTests {
    @Test("No password stands in the arguments of pg_basebackup, which every user of the machine can read")
    func password() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let report = directory + "/report"
        let settings = try tools(
            in: directory, "for a; do echo \"argument $a\"; done > \(report); env >> \(report); exit 1")
        for conninfo in [
            "postgres://anna:s3cr%20et@db.internal:5433/focus?sslmode=require",
            #"host=db.internal port=5433 user=anna password='s3cr et' dbname=focus sslmode=require"#,
        ] {
            #expect(throws: BackupError.self) {
                try BaseBackup.take(conninfo: conninfo, to: directory + "/backup", settings: settings)
            }
            let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
            let arguments = lines.filter { $0.hasPrefix("argument ") }.joined(separator: "\n")
            #expect(!arguments.contains("s3cr"), "\(arguments)")
            for part in ["db.internal", "5433", "anna", "focus", "require"] {
                #expect(arguments.contains(part), "\(part) is not in \(arguments)")
            }
            #expect(lines.contains("PGPASSWORD=s3cr et"))
        }
    }

    @Test("An interrupted backup leaves no pg_basebackup running, and nothing that could be taken for a backup")
    func interrupted() async throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (begun, backup, data) = (directory + "/begun", directory + "/backup", directory + "/data")
        let settings = try tools(in: directory, "echo $$ > \(begun).new; mv \(begun).new \(begun); exec sleep 600")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        try "work_mem = 8MB\n".write(toFile: data + "/custom.conf", atomically: true, encoding: .utf8)
        let flag = StopFlag()
        async let taken = Result {
            try BaseBackup.take(conninfo: "dbname=x", of: data, to: backup, settings: settings, unless: flag)
        }
        try await awaiting("a beginning") { FileManager.default.fileExists(atPath: begun) }
        #expect(FileManager.default.fileExists(atPath: backup + "/custom.conf"), "before there is a manifest")
        flag.set()
        switch await taken {
        case .failure(BackupError.interrupted): break
        case let other: Issue.record("\(other)")
        }
        let text = try String(contentsOfFile: begun, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try kill(#require(pid_t(text)), 0) == -1, "it ended")
        #expect(try FileManager.default.contentsOfDirectory(atPath: backup).isEmpty)
        #expect(throws: BackupError.self) { try BaseBackup(directory: backup) }
    }

    @Test("PostgreSQL's programs, which run in another directory, get paths that are right there")
    func relativePaths() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let report = directory + "/report"
        let settings = try tools(
            in: directory, "for a; do echo \"$a\"; done > \(report); exit 1",
            verify: "for a; do echo \"$a\"; done > \(report)")
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let relative = String(repeating: "../", count: depth) + directory.dropFirst()
        let place = BackupFiles.absolute(directory)
        #expect(throws: BackupError.self) {
            try BaseBackup.take(conninfo: "dbname=x", to: relative + "/backup/", settings: settings)
        }
        let taken = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(taken.contains("--pgdata=\(place)/backup/postgres"), "\(taken)")

        try makeBackup(directory + "/backup", configuration: "")
        let backup = try BaseBackup(directory: relative + "/backup", settings: settings)
        #expect(backup.directory == place + "/backup")
        try backup.verify()
        let checked = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(checked.last == "\(place)/backup/postgres", "\(checked)")
    }

    @Test("A backup of an operator's server is not restored for focusd's own PostgreSQL, which would not find its log")
    func notEmbedded() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let settings = try tools(in: directory, "exit 1")
        try makeBackup(directory + "/backup", configuration: "listen_addresses = '*'\n")
        let backup = try BaseBackup(directory: directory + "/backup", settings: settings)
        #expect(!backup.isEmbedded)
        #expect {
            try backup.restore(dataDirectory: directory + "/new")
        } throws: { error in
            guard case BackupError.notEmbedded = error else { return false }
            return "\(error)".contains("--pgdata")
        }
        #expect(!FileManager.default.fileExists(atPath: directory + "/new"))
    }

    @Test("A copy gets its name in the same file system, also where the name ends in a slash")
    func places() throws {
        let directory = try TestDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let place = BackupFiles.absolute(directory)
        #expect(BackupFiles.absolute(directory + "/none/") == place + "/none")
        #expect(BackupFiles.absolute(directory + "/a/../b") == place + "/b")
        try FileManager.default.createDirectory(atPath: place + "/there", withIntermediateDirectories: false)
        #expect(BackupFiles.absolute(directory + "/there/.") == place + "/there")
        try BackupFiles.requireRenamable(place + "/there")
        try BackupFiles.requireRenamable(place + "/none")
        #expect(throws: BackupError.self) { try BackupFiles.requireRenamable("/proc") }
    }

    private func makeBackup(_ place: String, configuration: String) throws {
        let cluster = place + "/postgres"
        try FileManager.default.createDirectory(atPath: cluster, withIntermediateDirectories: true)
        for (name, text) in [("backup_manifest", "{}"), ("postgresql.conf", configuration)] {
            try text.write(toFile: "\(cluster)/\(name)", atomically: true, encoding: .utf8)
        }
    }

    /// PostgreSQL's programs, of which pg_basebackup and pg_verifybackup are these scripts.
    private func tools(in directory: String, _ backup: String, verify: String = "") throws -> EmbeddedClusterSettings {
        for (name, script) in [
            ("initdb", "exit 1"), ("postgres", "echo 'postgres (PostgreSQL) 17.1'"), ("pg_basebackup", backup),
            ("pg_verifybackup", verify),
        ] {
            try "#!/bin/sh\n\(script)\n".write(toFile: directory + "/" + name, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory + "/" + name)
        }
        var settings = EmbeddedClusterSettings()
        settings.binDirectory = directory
        return settings
    }
}
