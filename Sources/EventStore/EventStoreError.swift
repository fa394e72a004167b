import FocusCore

/// Something is wrong with the log or the read model. Errors of PostgreSQL travel as `PostgresError`.
public enum EventStoreError: Error, Sendable, Hashable {
    /// The database holds no log: it was not migrated.
    case noLog
    /// The log has a format or hash that this program does not know.
    case unknownLog(format: Int32, hash: String)
    /// The log holds an event of a type or with an encoding that this program does not know.
    case unknownEvent(type: String, encoding: Int16)
    /// A row of the log or the read model breaks an invariant; the text says which.
    case corrupt(String)
    /// The active generation of the read model does not exist.
    case noGeneration(Int32)
    /// The events of a user's stream are not dense: `expected` is missing before `found`.
    case gap(user: UserID, expected: Version, found: Version)
}

extension EventStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noLog:
            "The database holds no log. A focusd that is started on it makes one; or is another database meant?"
        case .unknownLog(let format, let hash):
            "The log has format \(format) and hash \(hash), which this program does not know: a newer one made it."
        case .unknownEvent(let type, let encoding):
            "The log holds an event of type \(type) in encoding \(encoding), which this program does not know."
        case .corrupt(let what): "The database is damaged: \(what)."
        case .noGeneration(let generation):
            "The database is damaged: generation \(generation) of the read model is shown, and is not there."
        case .gap(let user, let expected, let found):
            "The database is damaged: the events of \(user) go on with version \(found) where \(expected) is expected."
        }
    }
}
