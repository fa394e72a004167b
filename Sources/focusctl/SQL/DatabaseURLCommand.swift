import ArgumentParser
import Foundation
import Programs

/// `focusctl database url`.
struct DatabaseURLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Print what other tools connect to the log's database with, as the role that only reads.",
        discussion: """
            A connection string of libpq, in its keyword form, without a password.

            Examples:
              focusctl database url
              psql "$(focusctl database url)" --command 'SELECT count(*) FROM events'
              focusctl database url --owner

            \(ExitStatus.help)
            """)

    @Flag(help: "As the log's owner, who may change anything.")
    var owner = false
    @OptionGroup var source: DatabaseOptions

    func run() throws {
        let access = try SQLAccess(source, asOwner: owner)
        guard let options = access.options else { return Terminal.line(access.conninfo) }
        let isURL = access.conninfo.contains("://")
        guard !isURL else {
            let value = options.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return Terminal.line(access.conninfo + (access.conninfo.contains("?") ? "&" : "?") + "options=\(value)")
        }
        let value = options.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        Terminal.line("\(access.conninfo) options='\(value)'")
    }
}
