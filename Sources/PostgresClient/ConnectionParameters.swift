import CLibPQ
import Foundation

/// The keywords handed to `PQconnectdbParams`. Later ones win, so ours come before the user's connection string,
/// except `options`, which are merged.
struct ConnectionParameters: Sendable {
    private var pairs: [(String, String)]

    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        // Three probes follow the idle time.
        let interval = max(1, configuration.vanishedSeconds / 5)
        let idle = max(1, configuration.vanishedSeconds - 3 * interval)
        pairs = [
            ("fallback_application_name", "focus-sync"),
            ("application_name", configuration.applicationName),
            ("connect_timeout", String(configuration.connectTimeout)),
            // A host that vanished is noticed in time, whatever the kernel's defaults (two hours).
            ("keepalives", "1"), ("keepalives_idle", String(idle)), ("keepalives_interval", String(interval)),
            ("keepalives_count", "3"), ("tcp_user_timeout", String(configuration.vanishedSeconds * 1_000)),
            ("target_session_attrs", configuration.requiresWrites ? "read-write" : "any"),
            ("dbname", configuration.conninfo),
            ("client_encoding", "UTF8"),
        ]
        let theirs = try Self.options(in: configuration.conninfo)
        var settings = configuration.settings
        if configuration.usesPreparedStatements, let timeout = configuration.statementTimeoutMilliseconds {
            settings["statement_timeout"] = String(timeout)
        }
        let ours = settings.sorted { $0.key < $1.key }.map { "-c \($0.key)=\(Self.escaped($0.value))" }
        let options = ([theirs] + ours).filter { !$0.isEmpty }.joined(separator: " ")
        if !options.isEmpty { pairs.append(("options", options)) }
    }

    /// Blocks until connected or failed; `connect_timeout` bounds it for each host.
    func connect() -> OpaquePointer? {
        var keywords: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.0)) } + [nil]
        var values: [UnsafePointer<CChar>?] = pairs.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer {
            for pointer in keywords + values { free(UnsafeMutablePointer(mutating: pointer)) }
            keywords.removeAll()
            values.removeAll()
        }
        return PQconnectdbParams(keywords, values, 1)
    }

    /// libpq's message about a malformed string can quote a part of it, maybe the password: it is not kept.
    private static func options(in conninfo: String) throws(PostgresError) -> String {
        // Without `=` or `://` libpq reads the text as a bare database name.
        guard conninfo.contains("=") || conninfo.contains("://") else { return "" }
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(conninfo, &message)
        PQfreemem(message)
        guard let options else {
            throw PostgresError(kind: .usage, message: "the connection string is malformed")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "options" {
                return option.pointee.val.map { String(cString: $0) } ?? ""
            }
            option += 1
        }
        return ""
    }

    /// The startup packet's `options` are split at blanks; a backslash keeps one.
    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            if character == "\\" || character.isWhitespace { text.append("\\") }
            text.append(character)
        }
    }
}
