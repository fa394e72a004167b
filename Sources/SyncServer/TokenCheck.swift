import FocusCore
import NIOConcurrencyHelpers
import Tokens

/// Decides who a connection acts as (rule A1). The server has `ReplaceableVerifier`; the simulation has a check of its
/// own, which uses no cryptography. It answers at once, on an event loop.
protocol TokenCheck: Sendable {
    /// The identity that the token gives, and the key that says so; throws what is wrong with it, for the log.
    /// - Parameter now: the time by which the token must be valid.
    func check(_ token: String, now: Timestamp) throws(TokenFlaw) -> (identity: Identity, key: TokenKeyMark?)
    /// Whether tokens that were checked with the key are still accepted.
    func accepts(_ key: TokenKeyMark, now: Timestamp) -> Bool
}

/// The verifier in force. A server's keys change while it runs, and its event loops wait for no file.
final class ReplaceableVerifier: TokenCheck {
    private let current: NIOLockedValueBox<TokenVerifier>

    init(_ verifier: TokenVerifier) { current = NIOLockedValueBox(verifier) }

    func replace(_ verifier: TokenVerifier) { current.withLockedValue { $0 = verifier } }

    func check(_ token: String, now: Timestamp) throws(TokenFlaw) -> (identity: Identity, key: TokenKeyMark?) {
        let checked = try current.withLockedValue { $0 }.judge(token, now: now)
        return (checked.identity, checked.key)
    }

    /// See `TokenVerifier.operatorName`.
    func operatorName(of token: String, now: Timestamp) -> String? {
        current.withLockedValue { $0 }.operatorName(of: token, now: now)
    }

    func accepts(_ key: TokenKeyMark, now: Timestamp) -> Bool { current.withLockedValue { $0 }.accepts(key, now: now) }
}
