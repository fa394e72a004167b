import Answers
import Foundation

/// A file of settings: a JSON object whose names are those of `focusd serve`'s options, without the dashes before them.
/// It may have what JSON5 adds, comments for one.
///
///     {"listen": "0.0.0.0:7464", "tls-cert": "chain.pem", "tls-key": "key.pem", "admin-host": ["focus.example.com"]}
enum SettingsFile {
    /// Far more than all settings need.
    private static let maximumBytes = 1 << 20

    /// The settings of the file, each with its values as the command line would have them.
    static func read(_ path: String) throws(SettingsError) -> [Setting: [String]] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw SettingsError("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        let bytes: Data
        do {
            bytes = try handle.read(upToCount: maximumBytes + 1) ?? Data()
        } catch {
            throw SettingsError("\(path) cannot be read: is it a directory?")
        }
        guard bytes.count <= maximumBytes else { throw SettingsError("\(path) is too large for settings.") }
        var settings: [Setting: [String]] = [:]
        for (name, given) in try members(bytes, path).sorted(by: { $0.key < $1.key }) {
            guard let setting = Setting.all.first(where: { $0.name == name }) else {
                throw SettingsError("\(path): there is no setting “\(name)”. \(near(name))")
            }
            guard let values = given.values(of: setting.kind) else {
                throw SettingsError("\(path): “\(name)” is \(expected(setting.kind)).")
            }
            settings[setting] = values
        }
        return settings
    }

    /// A question that names the setting which may have been meant.
    static func near(_ name: String) -> String {
        NearNames.sorted(Setting.all.map(\.name), by: name).first.map { "Is it “\($0)”?" } ?? ""
    }

    private static func members(_ bytes: Data, _ path: String) throws(SettingsError) -> [String: Given] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            return try decoder.decode([String: Given].self, from: bytes)
        } catch let DecodingError.typeMismatch(_, context) where context.codingPath.first != nil {
            let name = context.codingPath.first?.stringValue ?? ""
            throw SettingsError(
                "\(path): “\(name)” is neither a text, a number, true, false, nor a list of texts.")
        } catch {
            throw SettingsError("\(path) is no JSON object of settings.")
        }
    }

    private static func expected(_ kind: Setting.Kind) -> String {
        switch kind {
        case .flag: "true or false"
        case .value: "a text or a number"
        case .list: "a list of texts"
        }
    }

    /// A value as the file has it.
    private enum Given: Decodable {
        case flag(Bool)
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Int64.self) {
                self = .text(String(number))
            } else if let number = try? container.decode(Double.self) {
                self = .text(String(number))
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .list(try container.decode([String].self))
            }
        }

        /// Nil: it is not of the kind.
        func values(of kind: Setting.Kind) -> [String]? {
            switch (kind, self) {
            case (.flag, .flag(let isOn)): [isOn ? "true" : "false"]
            case (.value, .text(let text)): [text]
            case (.list, .text(let text)): [text]
            case (.list, .list(let texts)): texts
            case (.flag, _), (.value, _), (.list, _): nil
            }
        }
    }
}
