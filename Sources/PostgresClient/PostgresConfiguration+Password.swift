import CLibPQ

extension PostgresConfiguration {
    /// Takes the password out of a connection string. Whoever may see the processes of a machine sees their arguments;
    /// the variables of a process's environment only its own user sees.
    ///
    /// Throws `PostgresError` of kind `usage` when the text is no connection string.
    /// - Returns: the string in keyword form; its password, for `PGPASSWORD`, or nil when it has none.
    public static func separatingPassword(
        _ conninfo: String
    ) throws(PostgresError) -> (conninfo: String, password: String?) {
        // Without `=` or `://` libpq reads the text as a bare database name.
        guard conninfo.contains("=") || conninfo.contains("://") else { return (conninfo, nil) }
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(conninfo, &message)
        // libpq's message can quote a part of the string, maybe the password.
        PQfreemem(message)
        guard let options else {
            throw PostgresError(kind: .usage, message: "the connection string is malformed")
        }
        defer { PQconninfoFree(options) }
        var (parts, password) = ([String](), String?.none)
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val.map({ String(cString: $0) }) {
                if String(cString: keyword) == "password" {
                    password = value
                } else {
                    parts.append("\(String(cString: keyword))='\(escaped(value))'")
                }
            }
            option += 1
        }
        return (parts.joined(separator: " "), password)
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            if character == "\\" || character == "'" { text.append("\\") }
            text.append(character)
        }
    }
}
