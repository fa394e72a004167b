import FocusCore
import Tokens

/// Decides who a connection acts as (rule A1). The server has `TokenVerifier`; the simulation has a check of its own,
/// which uses no cryptography.
protocol TokenCheck: Sendable {
    /// The identity that the token gives; nil when the token is bad, whatever is wrong with it.
    /// - Parameter now: the time by which the token must be valid.
    func identity(of token: String, now: Timestamp) -> Identity?
}

extension TokenVerifier: TokenCheck {}
