import Foundation

/// The settings of a server: from the command line, else from the environment, else from a file.
///
/// Flow: the command line as it was typed → `Settings` → a command line that says all of it, which the parser reads.
struct Settings: Sendable {
    enum Source: Hashable, Sendable {
        case option
        /// A variable of the environment.
        case environment(String)
        /// A file, by its path.
        case file(String)
        /// Nobody says otherwise.
        case standard
    }

    struct Given: Hashable, Sendable {
        var values: [String]
        var source: Source
    }

    /// What somebody gave.
    let given: [Setting: Given]
    /// The options of `focusd serve` that say the same.
    let arguments: [String]

    /// - Parameter typed: the options as they were typed.
    init(_ typed: [String], environment: [String: String]) throws(SettingsError) {
        var given: [Setting: Given] = [:]
        let path = Self.value(of: Setting.file, in: typed) ?? environment[SettingsEnvironment.fileVariable]
        if let path, !path.isEmpty {
            for (setting, values) in try SettingsFile.read(path) {
                given[setting] = Given(values: values, source: .file(path))
            }
        }
        for (setting, values) in try SettingsEnvironment.read(environment) {
            given[setting] = Given(values: values, source: .environment(setting.variable))
        }
        var others: [String] = []
        for setting in Setting.all {
            let values = Self.values(of: setting, in: typed)
            if !values.isEmpty {
                given[setting] = Given(values: values, source: .option)
            } else if let value = given[setting] {
                others += Self.arguments(setting, value.values)
            }
        }
        self.given = given
        arguments = others + typed
    }

    func source(of setting: Setting) -> Source { given[setting]?.source ?? .standard }

    /// Where the settings are from that a complaint of the parser names, and that were not typed.
    func origins(of complaint: String) -> [String] {
        Setting.all.compactMap { setting in
            guard complaint.contains(setting.option) else { return nil }
            switch source(of: setting) {
            case .environment(let variable): return "\(setting.option) is from the environment: \(variable)"
            case .file(let path): return "\(setting.option) is from \(path)"
            case .option, .standard: return nil
            }
        }
    }

    private static func arguments(_ setting: Setting, _ values: [String]) -> [String] {
        switch setting.kind {
        case .flag: values == ["true"] ? [setting.option] : []
        case .value, .list: values.map { "\(setting.option)=\($0)" }
        }
    }

    /// The values of an option that was typed; none: it was not.
    private static func values(of setting: Setting, in typed: [String]) -> [String] {
        guard setting.kind == .flag else { return all(of: setting.name, in: typed) }
        return typed.contains(setting.option) ? ["true"] : []
    }

    private static func value(of name: String, in typed: [String]) -> String? { all(of: name, in: typed).last }

    private static func all(of name: String, in typed: [String]) -> [String] {
        var values: [String] = []
        for (index, word) in typed.enumerated() {
            if word == "--" + name, index + 1 < typed.count {
                values.append(typed[index + 1])
            } else if word.hasPrefix("--\(name)=") {
                values.append(String(word.dropFirst(name.count + 3)))
            }
        }
        return values
    }
}
