/// `preferences.registered`: replaces all of the app's registered defaults, unless there are some of a greater build,
/// or later ones of this build (domain.md §6).
public struct PreferencesRegistered: Hashable, Sendable {
    /// The build of the app whose defaults these are.
    public var build: Int64
    /// The defaults by key; the dictionary holds each key once.
    public var defaults: PropertyDictionary

    public init(build: Int64, defaults: PropertyDictionary) {
        self.build = build
        self.defaults = defaults
    }
}

/// `preference.changed`: a register for each (app, key).
public struct PreferenceChanged: Hashable, Sendable {
    public var key: String
    public var value: PropertyValue

    public init(key: String, value: PropertyValue) {
        self.key = key
        self.value = value
    }
}

/// `preference.reset`: removes the set value, so that the registered default counts again (rule D1). It writes the same
/// register as `preference.changed`.
public struct PreferenceReset: Hashable, Sendable {
    public var key: String
    public init(key: String) { self.key = key }
}
