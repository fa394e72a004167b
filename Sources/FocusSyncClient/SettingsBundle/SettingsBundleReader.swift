import FocusCore
import Foundation

/// Follows a Settings bundle's panes, each where it stands (rule D4).
struct SettingsBundleReader {
    /// A pane is a few kilobytes; this bounds the memory for what only looks like one.
    static let maximumFileBytes = 4 * 1024 * 1024
    static let maximumFiles = 256
    private static let root = "Root.plist"

    /// By key, as UTF-8: a Swift string would take a precomposed é and an e with an accent for one key.
    private typealias Defaults = [[UInt8]: SettingsBundle.Default]

    private let directory: URL
    /// What each file gives, by its place: a pane that two others lead to is read once.
    private var known: [String: Defaults] = [:]
    /// Other defaults of keys that have one.
    private(set) var contradictions: [SettingsBundle.Contradiction] = []
    /// The panes that lead to the one being read: place and name.
    private var path: [(place: String, name: String)] = []

    init(directory: String) throws(SettingsBundleError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw .notADirectory(directory)
        }
        self.directory = URL(fileURLWithPath: directory, isDirectory: true).resolvingSymlinksInPath()
    }

    /// Ascending by the bytes of the keys.
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
                if let before { note(before, against: last) }
            }
            if let child = specifier.childPane {
                // A child pane never overwrites what is there.
                let inherited = try self.defaults(of: child, namedIn: name)
                for (key, inherited) in inherited.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                    if let present = defaults[key] {
                        note(inherited, against: present)
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

    private mutating func note(_ ignored: SettingsBundle.Default, against kept: SettingsBundle.Default) {
        guard ignored.value != kept.value else { return }
        let contradiction = SettingsBundle.Contradiction(ignored: ignored, file: kept.file)
        // A pane that two others lead to says it once.
        if !contradictions.contains(contradiction) { contradictions.append(contradiction) }
    }

    /// Where the file really is: inside the bundle, symbolic links followed.
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
