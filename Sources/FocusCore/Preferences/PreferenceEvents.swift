/// `preferences.registered`: replaces all of the app's registered defaults, unless those of a greater build, or of this
/// one and later, are there (domain.md §6).
public struct PreferencesRegistered: Hashable, Sendable {
    /// The build of the app whose defaults these are.
    public var build: Int64
    /// The dictionary sees to it that no key is there twice.
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

/// `preference.reset`: takes the set value away, so that the registered default counts again (rule D1). Writes the same
/// register as `preference.changed`.
public struct PreferenceReset: Hashable, Sendable {
    public var key: String
    public init(key: String) { self.key = key }
}
