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
        for (name, script) in [
            ("initdb", "exit 1"), ("postgres", "echo 'postgres (PostgreSQL) 17.1'"),
            ("pg_basebackup", "for a; do echo \"argument $a\"; done > \(report); env >> \(report); exit 1"),
        ] {
            try "#!/bin/sh\n\(script)\n".write(toFile: directory + "/" + name, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory + "/" + name)
        }
        var settings = EmbeddedClusterSettings()
        settings.binDirectory = directory
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
}
