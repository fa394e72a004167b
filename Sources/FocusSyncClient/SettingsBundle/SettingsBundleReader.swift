import FocusCore
import Foundation

/// Reads a Settings bundle pane by pane, and follows each child pane where it stands (rule D4).
struct SettingsBundleReader {
    /// Bytes of one file. A pane has a few kilobytes; this bounds the memory for a file that only looks like one.
    static let maximumFileBytes = 4 * 1024 * 1024
    static let maximumFiles = 256
    private static let root = "Root.plist"

    /// Defaults by the UTF-8 bytes of their keys: Swift strings compare a precomposed é equal to an e with an accent.
    private typealias Defaults = [[UInt8]: SettingsBundle.Default]

    private let directory: URL
    /// The defaults of each file that was read, by its path: a pane that two others lead to is read once.
    private var known: [String: Defaults] = [:]
    /// Defaults that are not used because their keys have another, different one.
    private(set) var contradictions: [SettingsBundle.Contradiction] = []
    /// The panes that lead to the one being read, by path and by the name that the bundle uses.
    private var path: [(place: String, name: String)] = []

    init(directory: String) throws(SettingsBundleError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw .notADirectory(directory)
        }
        self.directory = URL(fileURLWithPath: directory, isDirectory: true).resolvingSymlinksInPath()
    }

    /// The defaults of the whole bundle, ascending by the bytes of their keys.
    mutating func defaults() throws(SettingsBundleError) -> [SettingsBundle.Default] {
        let defaults = try defaults(of: Self.root, namedIn: nil)
        return defaults.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    private mutating func defaults(of name: String, namedIn parent: String?) throws(SettingsBundleError) -> Defaults {
        let place = try place(of: name, namedIn: parent ?? name)
        if let start = path.firstIndex(where: { $0.place == place }) {
            throw .cycle(path[start...].map(\.name) + [name])
        }
        if let defaults = known[place] { return defaults }
        guard known.count + path.count < Self.maximumFiles else { throw .tooManyFiles(limit: Self.maximumFiles) }
        path.append((place, name))
        var defaults: Defaults = [:]
        for specifier in try SettingsPane(path: place, file: name, maximumBytes: Self.maximumFileBytes).specifiers {
            if let own = specifier.preference {
                // The last definition of a file wins, also over an earlier child pane.
                let key = Array(own.key.utf8)
                let before = defaults[key]
                let last = SettingsBundle.Default(key: own.key, value: own.value, file: name)
                defaults[key] = last
                if let before { recordContradiction(before, against: last) }
            }
            if let child = specifier.childPane {
                // A child pane never overwrites a key that is already present.
                let inherited = try self.defaults(of: child, namedIn: name)
                for (key, inherited) in inherited.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                    if let present = defaults[key] {
                        recordContradiction(inherited, against: present)
                    } else {
                        defaults[key] = inherited
                    }
                }
            }
        }
        path.removeLast()
        known[place] = defaults
        return defaults
    }

    private mutating func recordContradiction(_ ignored: SettingsBundle.Default, against kept: SettingsBundle.Default) {
        guard ignored.value != kept.value else { return }
        let contradiction = SettingsBundle.Contradiction(ignored: ignored, file: kept.file)
        // Two panes that lead to the same child pane find the same contradiction.
        if !contradictions.contains(contradiction) { contradictions.append(contradiction) }
    }

    /// The file's path with symbolic links followed. Throws when it is outside the bundle or missing.
    private func place(of name: String, namedIn parent: String) throws(SettingsBundleError) -> String {
        let components = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.hasPrefix("/"), !components.contains(".."), !name.utf8.contains(0) else {
            throw .outside(file: parent, name: name)
        }
        let file = directory.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else { throw .missing(file: name) }
        let place = file.resolvingSymlinksInPath().standardizedFileURL.path
        guard place.hasPrefix(directory.standardizedFileURL.path + "/") else {
            throw .outside(file: parent, name: name)
        }
        return place
    }
}
