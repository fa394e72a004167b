import FocusCore

/// An app's preferences (rules D1 to D3).
public struct AppPreferences: Sendable {
    let client: SyncClient
    /// The app whose preferences these are. Nil: the client is a system session and no app was named; every call throws
    /// `SyncClientError.noApp`.
    public let app: AppID?

    /// The effective value (rule D1); `standard` when there is none, or when it has another type.
    public subscript<Value: PreferenceValue>(key: String, default standard: Value) -> Value {
        get async throws { try await value(of: key).flatMap(Value.init) ?? standard }
    }

    /// The effective value (rule D1); nil: it is neither set nor registered.
    public func value(of key: String) async throws -> PropertyValue? {
        try await client.message(PreferenceRow.self, at: RowKey(.preferences, app: try named(), key: key))?.value
    }

    /// Every effective value, by key (rule D1).
    public func all() async throws -> [String: PropertyValue] {
        try await client.messages(PreferenceRow.self, of: .preferences, app: try named()).mapValues(\.value)
    }

    /// Sets a value. It is durable on the device when this returns.
    @discardableResult
    public func set(_ value: some PreferenceValue, for key: String) async throws -> QueuedEvent {
        let change = PreferenceChanged(key: key, value: value.propertyValue)
        return try await client.append(.preferenceChanged(change), app: try named())
    }

    /// Registers the values that count where none is set, in place of all of an earlier build (rule D1).
    @discardableResult
    public func register(_ defaults: PropertyDictionary, build: Int64) async throws -> QueuedEvent {
        let registered = PreferencesRegistered(build: build, defaults: defaults)
        return try await client.append(.preferencesRegistered(registered), app: try named())
    }

    /// Deletes the set value, so that the registered default counts again. The rows change when the server has
    /// answered.
    @discardableResult
    public func reset(_ key: String) async throws -> QueuedEvent {
        try await client.append(.preferenceReset(PreferenceReset(key: key)), app: try named())
    }

    private func named() throws(SyncClientError) -> AppID {
        guard let app else { throw .noApp }
        return app
    }
}
