import Answers
import ArgumentParser
import FocusCore
import FocusSyncClient
import Programs

/// `focusctl import settings-bundle`.
struct ImportSettingsBundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings-bundle",
        abstract: "Register an app's preference defaults from its Settings bundle.",
        discussion: """
            Reads Root.plist and the child panes it leads to, and appends one
            preferences.registered with every Key that has a DefaultValue (rule
            D4). When any file is missing or wrong, nothing is registered. A key
            that is there twice with different defaults is complained of on
            standard error; the rule says which one counts. Before, a system
            session must have registered the app.

            With --json, one object:
              {"app":"com.example.chat","build":"42","version":17,"defaults":[
               {"key":"sound","file":"Root.plist","value":{"bool":true}}]}

            Examples:
              focusctl import settings-bundle Settings.bundle \\
                --app com.example.chat --plaintext --token-file token
              focusctl import settings-bundle Settings.bundle --build 43 \\
                --app com.example.chat --plaintext --token-file token --json

            \(ExitStatus.help)
            """)

    @Argument(help: "The bundle: the directory that Root.plist is in.")
    var directory: String
    @Option(help: "The app that the bundle is of.")
    var app: AppID
    @Option(help: "The build that the bundle is of; the greatest counts. Default: the one the app is registered with.")
    var build: Int64?
    @Flag(help: "Print one JSON object.")
    var json = false
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let bundle: SettingsBundle
        do {
            bundle = try SettingsBundle(directory: directory)
        } catch {
            throw CommandFailure("\(directory): \(error)")
        }
        for contradiction in bundle.contradictions {
            let (ignored, file) = (contradiction.ignored, contradiction.file)
            Terminal.complain(
                "\(ignored.key): the default \(PropertyText.text(ignored.value)) in \(ignored.file) does not count: "
                    + "\(file) gives another")
        }
        let client = try connection.makeClient()
        do {
            let build = try await registeredBuild(client)
            let body = PreferencesRegistered(build: build, defaults: bundle.dictionary)
            let outcomes = try await client.append([EventDraft(.preferencesRegistered(body), app: app)])
            let version = try PreferenceOutcome.version(outcomes, app)
            try show(bundle, build: build, version: version)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private func registeredBuild(_ client: SyncClient) async throws -> Int64 {
        if let build { return build }
        try await client.synchronize()
        guard let row = try client.store.row(RowKey(.apps, app: app)) else {
            throw CommandFailure("\(app) is not registered. A system session must append app.registered first.")
        }
        return try AppRow(decoding: row.value).registration.build
    }

    private func show(_ bundle: SettingsBundle, build: Int64, version: Version) throws {
        if json {
            var object = JSONText()
            object.add("app", app.rawValue)
            object.add("build", String(build))
            object.add("version", version.rawValue)
            let defaults = try bundle.defaults.map { item in
                var json = JSONText()
                json.add("key", item.key)
                json.add("file", item.file)
                json.addRaw("value", try PreferenceText.json(item.value))
                return json.text
            }
            object.addRaw("defaults", "[\(defaults.joined(separator: ","))]")
            Terminal.line(object.text)
        } else {
            var table = Table(["key", "type", "default", "file"])
            for item in bundle.defaults {
                table.add([item.key, item.value.kind, PropertyText.text(item.value), item.file])
            }
            table.lines.forEach(Terminal.line)
            Terminal.line("\(bundle.defaults.count) defaults of \(app), build \(build), registered.")
        }
    }
}
