import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import NIOConcurrencyHelpers
import Programs

/// `focusctl preferences watch`.
struct PreferencesWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the effective values of an app's preferences, then every change of one.",
        discussion: """
            Ends at SIGINT or SIGTERM. A key is shown again when its effective value
            changes, and only then (rule D3). With --json, one object per line; value
            is null for a preference that has no value any more:
              {"app":"com.example.chat","key":"volume","value":{"real":0.5},
               "version":17}

            Examples:
              focusctl preferences watch --app com.example.chat \\
                --plaintext --token-file token
              focusctl preferences watch volume --app com.example.chat \\
                --plaintext --token-file token --json

            Exit codes: 0 stopped by SIGINT or SIGTERM, 1 failed, 2 usage, 3 the
            rows differed from the server's, even if they were made right again.
            """)

    @Argument(help: "The preference's key. Default: all.")
    var key: String?
    @Option(help: "The app that the preferences are of.")
    var app: AppID
    @Flag(help: "JSON, one object per line.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let printer = PreferencePrinter(app: app, key: key, asJSON: json)
        let client = try connection.makeClient { configuration in
            configuration.onUpdate = { printer.show($0) }
            configuration.maximumAttempts = nil
        }
        do {
            try await client.synchronize()
            try printer.begin(client.store)
            let signals = Interruption { Task { await client.close() } }
            defer { withExtendedLifetime(signals) {} }
            try await client.waitUntilStopped()
        } catch SyncClientError.diverged(let collections) {
            await client.close()
            throw IntegrityFailure(SyncClientError.diverged(collections).description)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        if printer.hasDiverged { throw IntegrityFailure("Rows differed from the server's and were fetched afresh.") }
    }
}

/// Shows what `focusctl preferences watch` sees. Called on the client's queue, and once by the command.
final class PreferencePrinter: Sendable {
    private struct State {
        /// The values that were shown last; nil until the current values were shown.
        var shown: [RowKey: [UInt8]]?
        var hasDiverged = false
    }

    private let app: AppID
    private let only: RowKey?
    private let isJSON: Bool
    private let state = NIOLockedValueBox(State())

    init(app: AppID, key: String?, asJSON: Bool) {
        self.app = app
        only = key.map { RowKey(.preferences, app: app, key: $0) }
        isJSON = asJSON
    }

    var hasDiverged: Bool { state.withLockedValue { $0.hasDiverged } }

    /// Shows the current values (rule D3: they come first). An update about a change that is stored by then, but comes
    /// only later, is not shown again.
    func begin(_ store: DeviceStore) throws {
        try state.withLockedValue { state in
            let rows = try store.rows(in: .preferences).filter { isWanted($0.key) }
            var shown: [RowKey: [UInt8]] = [:]
            for row in rows {
                shown[row.key] = row.value
                print(row.key, row.value, row.version)
            }
            state.shown = shown
        }
    }

    func show(_ update: SyncUpdate) {
        switch update {
        case .rows(let changes, _, _):
            state.withLockedValue { state in
                for change in changes where isWanted(change.key) {
                    guard let shown = state.shown, shown[change.key] != change.after else { continue }
                    state.shown?[change.key] = change.after
                    print(change.key, change.after, change.version)
                }
            }
        case .diverged(let collections):
            state.withLockedValue { $0.hasDiverged = true }
            let names = collections.map(\.rawValue).joined(separator: ", ")
            Terminal.complain("Rows of \(names) differ from the server's; fetching them afresh.")
        case .serverError(let error): Terminal.complain("\(error.code.rawValue): \(error.message)")
        case .disconnected(let problem, let wait): Terminal.complain("\(problem) (connecting again in \(wait) ms)")
        case .connected, .acknowledged, .verified, .appendsDelayed, .newIncarnation, .tokenExpires, .recalling,
            .recallWaits, .recalled, .healing, .healed, .erased, .stopped:
            break
        }
    }

    private func isWanted(_ key: RowKey) -> Bool {
        key.collection == .preferences && key.app == app && (only == nil || only == key)
    }

    private func print(_ key: RowKey, _ bytes: [UInt8]?, _ version: Version) {
        do {
            let value = try bytes.map { try PreferenceText.value($0, of: key) }
            Terminal.line(try PreferenceText.line(key, value, version, asJSON: isJSON))
        } catch {
            Terminal.complain("\(error)")
        }
    }
}
