import FocusCore

/// The defaults that an app's Settings bundle gives its preferences (rule D4): every `Key` with a `DefaultValue`, in
/// `Root.plist` and the child panes it leads to.
///
/// Flow: directory → `SettingsBundleReader` → panes in their order → defaults → `preferences.registered`.
public struct SettingsBundle: Hashable, Sendable {
    public struct Default: Hashable, Sendable {
        public var key: String
        public var value: PropertyValue
        /// The file that it stands in, relative to the bundle.
        public var file: String

        public init(key: String, value: PropertyValue, file: String) {
            self.key = key
            self.value = value
            self.file = file
        }
    }

    /// A key that the bundle gives more than one default. Rule D4 says which one counts; that somebody meant it so is
    /// unlikely.
    public struct Contradiction: Hashable, Sendable {
        /// The one that counts is in `defaults`.
        public var ignored: Default
        /// The file that the one which counts stands in.
        public var file: String

        public init(ignored: Default, file: String) {
            self.ignored = ignored
            self.file = file
        }
    }

    /// Each key once, ascending by its UTF-8 bytes.
    public let defaults: [Default]

    /// In the order of the panes.
    public let contradictions: [Contradiction]

    /// As an event takes them.
    public let dictionary: PropertyDictionary

    /// Nothing is half read: when any file of the bundle is not as it should be, all of it is refused.
    /// - Parameter directory: the bundle itself, usually called `Settings.bundle`.
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
    /// A name of a child pane that leads out of the bundle.
    case outside(file: String, name: String)
    /// It is there and cannot be read.
    case unreadable(file: String)
    case tooLarge(file: String, limit: Int)
    /// Neither XML nor binary, or not well formed.
    case notAPropertyList(file: String)
    case noSpecifiers(file: String)
    /// `place` says where: `PreferenceSpecifiers`, `item 2's Key`.
    case wrongType(file: String, place: String, expected: String)
    /// A value that no preference can have.
    case unusableValue(file: String, place: String, reason: String)
    /// The last pane leads back to the first.
    case cycle([String])
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
