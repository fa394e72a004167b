import FocusCore

/// Why a client cannot do what was asked. Events that were appended stay queued in the store in every case but
/// `revoked`.
public enum SyncClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No connection was made; the next attempt may succeed.
    case cannotConnect(ServerAddress, reason: String)
    /// As many attempts to connect failed in a row as `maximumAttempts` allows. `last` is the last problem.
    case unreachable(attempts: Int, last: String)
    /// The server refuses the device, and would refuse it again.
    case refused(ProtocolError)
    /// The device was revoked (rule A3). The client has erased its store, with what was queued.
    case revoked
    /// The configuration asks for plaintext to a host that is not on loopback.
    case plaintextBeyondLoopback(String)
    /// The token is not a JWT with a user, a device and a scope (rule A1).
    case tokenUnreadable
    /// The call did not complete within `SyncClientConfiguration.timeout`.
    case timedOut(after: Duration, lastProblem: String?)
    /// These rows differ from the server's although they were fetched afresh (rule S9).
    case diverged([RowCollection])
    /// The server answered a fetch with an error. `not_found`: there is no such thing, or this session may not read it
    /// (rule R1).
    case fetchFailed(ProtocolError)
    /// The store could not be read or written.
    case store(String)
    /// The client was closed.
    case closed
    /// The client would watch more than `SyncClient.watchLimit` users at the same time.
    case tooManyWatched
    /// A system session did not say which app is meant.
    case noApp

    public var description: String {
        switch self {
        case .cannotConnect(let address, let reason):
            "Cannot connect to \(address): \(reason). Is focusd running there, with the same choice of TLS?"
        case .unreachable(let attempts, let last): "Gave up after \(attempts) attempts. \(last)"
        case .refused(let error): "The server refuses this device (\(error.code.rawValue)): \(error.message)"
        case .revoked: "This device was revoked, and what it held of its user is erased. No token lets it in again."
        case .plaintextBeyondLoopback(let host):
            "Plaintext is for loopback only, and \(host) is not. Use TLS."
        case .tokenUnreadable: "The token is not a JWT with sub, device and scope. Make one with `focusctl token`."
        case .timedOut(let limit, let problem):
            "Not done within \(limit).\(problem.map { " \($0)" } ?? "") Queued events are kept; try again."
        case .diverged(let collections):
            "The rows of \(collections.map(\.rawValue).joined(separator: ", ")) stay different from the server's. "
                + "Remove the store's directory to begin anew, and report it."
        case .fetchFailed(let error): "The server does not answer this (\(error.code.rawValue)): \(error.message)"
        case .store(let problem): problem
        case .closed: "The client was closed."
        case .tooManyWatched: "A device watches at most \(SyncClient.watchLimit) users. Let go of some first."
        case .noApp: "A system session speaks for no app: say which one is meant, with `of:`."
        }
    }
}
