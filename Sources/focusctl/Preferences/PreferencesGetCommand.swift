import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl preferences get`.
struct PreferencesGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show the effective values of an app's preferences, or of one.",
        discussion: """
            Brings the device's rows up to date first. With --json, one object per
            line; the value with its type (rule D2):
              {"app":"com.example.chat","key":"volume","value":{"real":0.5},
               "version":17}

            Examples:
              focusctl preferences get --app com.example.chat \\
                --plaintext --token-file token
              focusctl preferences get volume --app com.example.chat \\
                --plaintext --token-file token --json

            Exit codes: 0 done, 1 failed, or there is no such app, or the preference has
            no value, 2 usage, 3 the rows stay different from the server's.
            """)

    @Argument(help: "The preference's key. Default: all.")
    var key: String?
    @Option(help: "The app that the preferences are of.")
    var app: AppID
    @Flag(help: "JSON, one object per line.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    /// Why an app has no row: preferences of none are shown.
    private static func unknown(_ app: AppID, _ scope: Scope) -> String {
        if let own = scope.app, own != app { return "The token is for \(own), which sees nothing of \(app)." }
        return "There is no app \(app): a system session registers apps (app.registered)."
    }

    func run() async throws {
        let client = try connection.makeClient()
        do {
            try await client.synchronize()
            let rows = try client.rows(in: .preferences).filter { row in
                row.key.app == app && (key.map { RowKey(.preferences, app: app, key: $0) == row.key } ?? true)
            }
            if rows.isEmpty, try client.store.row(RowKey(.apps, app: app)) == nil {
                throw CommandFailure(Self.unknown(app, client.owner.scope))
            }
            if let key, rows.isEmpty { throw CommandFailure("\(key) of \(app) has no value.") }
            for row in rows {
                let value = try PreferenceText.value(row.value, of: row.key)
                Terminal.line(try PreferenceText.line(row.key, value, row.version, asJSON: json))
            }
        } catch SyncClientError.diverged(let collections) {
            await client.close()
            throw IntegrityFailure(SyncClientError.diverged(collections).description)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }
}
