import EventStore
import Foundation
import PostgresClient
import Support
import Testing

/// Two clusters with streaming replication; the second one can be promoted.
enum Standby {
    static var settings: EmbeddedClusterSettings {
        var settings = EmbeddedClusterSettings()
        settings.isDurable = false
        settings.overrides = ["shared_buffers": "32MB", "max_wal_size": "256MB"]
        return settings
    }

    /// Starts a standby that streams from the primary asynchronously.
    static func start(of primary: EmbeddedCluster, in place: String) throws -> EmbeddedCluster {
        let backup = try BaseBackup.take(conninfo: primary.conninfo, to: place + "/base", settings: settings)
        try backup.restore(dataDirectory: place + "/standby")
        let cluster = place + "/standby/postgres"
        let owner = try FileManager.default.attributesOfItem(atPath: cluster)[.ownerAccountID] as? Int ?? 0
        let signal = cluster + "/standby.signal"
        _ = FileManager.default.createFile(atPath: signal, contents: Data())
        chown(signal, uid_t(owner), gid_t(owner))
        let source = primary.conninfo.replacingOccurrences(of: "'", with: "''")
        try "primary_conninfo = '\(source)'\n".write(
            toFile: place + "/standby/custom.conf", atomically: true, encoding: .utf8)
        chmod(place + "/standby/custom.conf", 0o644)
        return try EmbeddedCluster.start(dataDirectory: place + "/standby", settings: settings)
    }

    /// From now on the primary's commits wait for a standby.
    static func makeSynchronous(_ primary: EmbeddedCluster) throws {
        try eventually("the standby streams") {
            try value("SELECT count(*)::text FROM pg_stat_replication WHERE state = 'streaming'", primary) == "1"
        }
        _ = try value("ALTER SYSTEM SET synchronous_standby_names = '*'", primary)
        _ = try value("SELECT pg_reload_conf()::text", primary)
        try eventually("commits wait for it") {
            try value("SELECT sync_state FROM pg_stat_replication", primary) == "sync"
        }
    }

    /// Cuts the standby off from the primary.
    static func cutOff(_ standby: EmbeddedCluster) throws {
        _ = try value("ALTER SYSTEM SET primary_conninfo = ''", standby)
        _ = try value("SELECT pg_reload_conf()::text", standby)
        try eventually("the standby is cut off") {
            try value("SELECT count(*)::text FROM pg_stat_wal_receiver", standby) == "0"
        }
    }

    /// Lets the standby stream again.
    static func reconnect(_ standby: EmbeddedCluster) throws {
        _ = try value("ALTER SYSTEM RESET primary_conninfo", standby)
        _ = try value("SELECT pg_reload_conf()::text", standby)
    }

    static func value(_ sql: String, _ cluster: EmbeddedCluster) throws -> String? {
        let connection = try PostgresConnection(PostgresConfiguration(conninfo: cluster.conninfo))
        defer { connection.close() }
        let result = try connection.query(Statement(name: "test_value", sql: sql))
        return result.rowCount == 0 ? nil : try result.text(row: 0, column: 0)
    }

    /// A conninfo that reaches whichever of the two accepts writes.
    static func either(_ one: EmbeddedCluster, _ other: EmbeddedCluster) throws -> String {
        let values = { (name: String) in
            try [one, other].map { cluster in
                let rest = try #require(cluster.conninfo.split(separator: "\(name)='").last)
                return String(rest.prefix { $0 != "'" })
            }
        }
        let hosts = try (values("host").joined(separator: ","), values("port").joined(separator: ","))
        let (user, database) = try (values("user")[0], values("dbname")[0])
        return """
            host='\(hosts.0)' port='\(hosts.1)' user='\(user)' dbname='\(database)' target_session_attrs=read-write
            """
    }
}
