import FocusCore

/// The defaults that an app's Settings bundle gives its preferences (rule D4): every `Key` with a `DefaultValue`, in
/// `Root.plist` and the child panes it leads to.
///
/// Flow: directory → `SettingsBundleReader` → panes in their order → defaults → `preferences.registered`.
public struct SettingsBundle: Hashable, Sendable {
    /// A key's default, and the file that gives it.
    public struct Default: Hashable, Sendable {
        public var key: String
        public var value: PropertyValue
        /// The file that gives the default, relative to the bundle.
        public var file: String

        public init(key: String, value: PropertyValue, file: String) {
            self.key = key
            self.value = value
            self.file = file
        }
    }

    /// A default that is not used because the bundle gives its key another one, which differs. Rule D4 says which one
    /// counts; the author of the bundle hardly meant to give two.
    public struct Contradiction: Hashable, Sendable {
        /// The default that is not used; the one that counts is in `defaults`.
        public var ignored: Default
        /// The file that gives the default which counts, relative to the bundle.
        public var file: String

        public init(ignored: Default, file: String) {
            self.ignored = ignored
            self.file = file
        }
    }

    /// The defaults that count: each key once, ascending by its UTF-8 bytes.
    public let defaults: [Default]

    /// Defaults that another one beats and that differ from it (rule D4), in the order of the panes.
    public let contradictions: [Contradiction]

    /// The defaults in the form that `preferences.registered` carries.
    public let dictionary: PropertyDictionary

    /// Reads the bundle. When any of its files is invalid, the whole bundle is refused.
    /// - Parameter directory: the bundle itself, usually called `Settings.bundle`.
    /// - Throws: `SettingsBundleError`, which names the file.
    public init(directory: String) throws(SettingsBundleError) {
        var reader = try SettingsBundleReader(directory: directory)
        defaults = try reader.defaults()
        contradictions = reader.contradictions
        // The reader has each key once.
        dictionary = PropertyDictionary(defaults.map { PropertyDictionary.Entry($0.key, $0.value) }) ?? .empty
    }
}

/// Why a Settings bundle cannot be read. Files are named relative to the bundle. The description is for the person who
/// gave it.
public enum SettingsBundleError: Error, Hashable, Sendable, CustomStringConvertible {
    case notADirectory(String)
    case missing(file: String)
    /// The name of a child pane leads out of the bundle.
    case outside(file: String, name: String)
    /// The file exists and cannot be read.
    case unreadable(file: String)
    /// The file has more bytes than `limit`.
    case tooLarge(file: String, limit: Int)
    /// The file is neither an XML nor a binary property list, or is not well formed.
    case notAPropertyList(file: String)
    /// The file has no `PreferenceSpecifiers`.
    case noSpecifiers(file: String)
    /// Something in the file has another type than `expected`. `place` says what: `PreferenceSpecifiers`, `item 2's
    /// Key`.
    case wrongType(file: String, place: String, expected: String)
    /// A default that no preference can have.
    case unusableValue(file: String, place: String, reason: String)
    /// Child panes lead in a circle: each of these files leads to the next, and the last is the first again.
    case cycle([String])
    /// The bundle has more panes than `limit`.
    case tooManyFiles(limit: Int)

    public var description: String {
        switch self {
        case .notADirectory(let path): "\(path) is not a directory; give the Settings.bundle itself"
        case .missing(let file): "\(file) is missing"
        case .outside(let file, let name): "\(file): the child pane \"\(name)\" is outside the bundle"
        case .unreadable(let file): "\(file) cannot be read"
        case .tooLarge(let file, let limit): "\(file) is larger than \(limit) bytes"
        case .notAPropertyList(let file): "\(file) is not an XML or binary property list"
        case .noSpecifiers(let file): "\(file) has no PreferenceSpecifiers"
        case .wrongType(let file, let place, let expected): "\(file): \(place) is not \(expected)"
        case .unusableValue(let file, let place, let reason): "\(file): \(place) \(reason)"
        case .cycle(let files): "child panes lead back to where they came from: \(files.joined(separator: " → "))"
        case .tooManyFiles(let limit): "the bundle has more than \(limit) panes"
        }
    }
}
