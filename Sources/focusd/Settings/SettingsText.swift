import Answers
import EventStore
import PostgresClient

/// Settings for people and for scripts. Secrets are not shown: of keys there is only where they are, and what a
/// database is reached with has no password.
struct SettingsText {
    let settings: Settings

    /// A table, a setting a line.
    var lines: [String] {
        var table = Table(["SETTING", "VALUE", "SOURCE"])
        for setting in Setting.all {
            let value = value(of: setting)
            table.add([setting.name, value.isEmpty ? "–" : value.joined(separator: ", "), source(of: setting)])
        }
        return table.lines
    }

    /// A JSON object a line.
    var json: [String] {
        Setting.all.map { setting in
            var json = JSONText()
            json.add("setting", setting.name)
            let values = value(of: setting).map(JSONText.string)
            switch setting.kind {
            case .list: json.addRaw("value", "[\(values.joined(separator: ","))]")
            case .flag: json.addRaw("value", value(of: setting).first ?? "false")
            case .value: json.addRaw("value", values.first ?? "null")
            }
            switch settings.source(of: setting) {
            case .option: json.add("source", "option")
            case .environment(let variable):
                json.add("source", "environment")
                json.add("from", variable)
            case .file(let path):
                json.add("source", "file")
                json.add("from", path)
            case .standard: json.add("source", "default")
            }
            return json.text
        }
    }

    private func source(of setting: Setting) -> String {
        switch settings.source(of: setting) {
        case .option: "option"
        case .environment(let variable): variable
        case .file(let path): path
        case .standard: "default"
        }
    }

    private func value(of setting: Setting) -> [String] {
        guard let given = settings.given[setting]?.values else { return standard(setting).map { [$0] } ?? [] }
        return setting.name.hasSuffix("database") ? given.map(Self.withoutPassword) : given
    }

    /// What a setting is that nobody gave. Some depend on others.
    private func standard(_ setting: Setting) -> String? {
        let directory = given("data-dir") ?? DataDirectory.standard
        switch setting.name {
        case "data-dir": return directory
        case "token-key": return directory + "/token.key"
        case "receipt-key": return directory + "/receipt.key"
        case "direct-database": return given("database").map(Self.withoutPassword)
        default: return setting.standard
        }
    }

    private func given(_ name: String) -> String? {
        settings.given.first { $0.key.name == name }?.value.values.last
    }

    private static func withoutPassword(_ conninfo: String) -> String {
        guard let parts = try? PostgresConfiguration.separatingPassword(conninfo) else { return "…" }
        return parts.password == nil ? conninfo : parts.conninfo
    }
}
