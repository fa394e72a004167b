import Answers

/// Settings in the environment: `FOCUSD_TLS_CERT` is `--tls-cert`. A flag is `true` or `false`; what may be given
/// several times is separated by commas.
enum SettingsEnvironment {
    /// By how many characters a name may differ from that of a setting to be taken for a misspelt one. Names further
    /// away are somebody else's: an orchestrator sets `FOCUSD_PORT` for a service that is called focusd.
    private static let misspelt = 2

    /// Throws `SettingsError` for a value that cannot be one of its setting, and for a misspelt name.
    static func read(_ environment: [String: String]) throws(SettingsError) -> [Setting: [String]] {
        var settings: [Setting: [String]] = [:]
        let own = environment.filter { $0.key.hasPrefix(Setting.prefix) }
        for (variable, value) in own.sorted(by: { $0.key < $1.key }) {
            if let setting = Setting.all.first(where: { $0.variable == variable }) {
                settings[setting] = try values(value, of: setting)
            } else if variable != fileVariable, let near = near(variable) {
                throw SettingsError("There is no setting \(variable). Is it \(near)?")
            }
        }
        return settings
    }

    /// Names the file of settings.
    static let fileVariable = Setting.prefix + Setting.file.uppercased()

    private static func near(_ variable: String) -> String? {
        let names = Setting.all.map(\.variable) + [fileVariable]
        guard let near = NearNames.sorted(names, by: variable).first,
            NearNames.distance(Array(near), Array(variable)) <= misspelt
        else { return nil }
        return near
    }

    private static func values(_ value: String, of setting: Setting) throws(SettingsError) -> [String] {
        switch setting.kind {
        case .value: return [value]
        case .list: return value.split(separator: ",").map { String($0.trimming(where: \.isWhitespace)) }
        case .flag:
            switch value.lowercased() {
            case "true", "1": return ["true"]
            case "false", "0", "": return ["false"]
            default: throw SettingsError("\(setting.variable) is true or false, not “\(value)”.")
            }
        }
    }
}

extension StringProtocol {
    fileprivate func trimming(where isTrimmed: (Character) -> Bool) -> SubSequence {
        let tail = drop(while: isTrimmed)
        return tail.lastIndex { !isTrimmed($0) }.map { tail[...$0] } ?? tail.prefix(0)
    }
}
