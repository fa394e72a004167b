import ArgumentParser
import Foundation

/// An option of `focusd serve`, which may also stand in a file or in the environment. Which there are is what the
/// command's own parser knows.
struct Setting: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// On or off.
        case flag
        case value
        /// Several values.
        case list
    }

    /// As in a file: `tls-cert`.
    let name: String
    let kind: Kind
    /// What it is unless somebody says; nil: nothing.
    let standard: String?

    var option: String { "--" + name }
    /// In the environment: `FOCUSD_TLS_CERT`.
    var variable: String { Self.prefix + name.uppercased().replacing("-", with: "_") }

    static let prefix = "FOCUSD_"
    /// Which file has settings. It cannot stand in a file.
    static let file = "config"

    /// All settings, in the order of the help.
    static let all = read().filter { ![file, "help", "version"].contains($0.name) }

    private static func read() -> [Setting] {
        guard let tool = try? JSONDecoder().decode(Tool.self, from: Data(Serve._dumpHelp().utf8)) else { return [] }
        return (tool.command.arguments ?? []).compactMap { argument in
            guard let name = argument.names?.first(where: { $0.kind == "long" })?.name else { return nil }
            let kind: Kind = argument.kind == "flag" ? .flag : argument.isRepeating ? .list : .value
            return Setting(name: name, kind: kind, standard: kind == .flag ? "false" : argument.defaultValue)
        }
    }

    /// What ArgumentParser tells of a command, as far as it is needed.
    private struct Tool: Decodable {
        struct Command: Decodable { var arguments: [Argument]? }
        struct Argument: Decodable {
            var kind: String
            var isRepeating: Bool
            var names: [Name]?
            var defaultValue: String?
        }
        struct Name: Decodable {
            var kind: String
            var name: String
        }
        var command: Command
    }
}
