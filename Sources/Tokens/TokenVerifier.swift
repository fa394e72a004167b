import FocusCore
import Foundation

/// Checks tokens. A device is answered in one way whatever is wrong with its token (rule A1); the log says why.
public struct TokenVerifier: Sendable {
    /// How far ahead a token may end, in microseconds: a year, and a month to renew it in. A token that ends later, or
    /// never, is a mistake of its issuer, and would serve whoever steals it for ever.
    public static let longestLife: Int64 = 400 * 86_400 * 1_000_000
    /// How far ahead `nbf` may be, in microseconds: the clocks of issuer and server differ (RFC 7519 §4.1.5).
    static let leeway: Int64 = 60 * 1_000_000

    private let keys: TokenKeySet
    let demands: TokenDemands

    public init(_ keys: TokenKeySet, _ demands: TokenDemands = TokenDemands()) {
        (self.keys, self.demands) = (keys, demands)
    }

    /// Checks with one key, which has no name.
    public init(_ key: VerificationKey) { self.init(TokenKeySet(lone: TokenKey(id: nil, checking: key))) }

    /// Who the token's bearer acts as; nil when the token is bad, or not valid at `now`.
    public func identity(of text: String, now: Timestamp) -> Identity? { check(text, now: now)?.identity }

    /// Who the token's bearer acts as, and which key says so; nil when the token is bad, or not valid at `now`.
    public func check(_ text: String, now: Timestamp) -> CheckedToken? { try? judge(text, now: now) }

    /// The same, and why the token is bad. Whoever brought it must not learn that (rule A1).
    public func judge(_ text: String, now: Timestamp) throws(TokenFlaw) -> CheckedToken {
        guard let token = SignedToken(text) else { throw .malformed }
        guard let key = key(of: token, now: now) else { throw .unsigned }
        guard let claims = try? JSONDecoder().decode(TokenClaims.self, from: token.claims),
            var identity = claims.identity, !claims.isForAdmin
        else { throw .foreign }
        guard demands.areMet(by: token.claims) else { throw .undemanded }
        guard identity.expiresAt > now else { throw .expired }
        guard identity.expiresAt <= now.adding(microseconds: Self.longestLife) else { throw .longLived }
        if let notBefore = claims.nbf {
            guard let begin = Timestamp(claimed: notBefore), begin <= now.adding(microseconds: Self.leeway)
            else { throw .early }
        }
        // A session ends with the key that its token was signed with.
        if let end = key.retiresAt { identity.expiresAt = min(identity.expiresAt, end) }
        return CheckedToken(identity: identity, key: TokenKeyMark(key))
    }

    /// Whether tokens that were checked with the key are still accepted.
    public func accepts(_ mark: TokenKeyMark, now: Timestamp) -> Bool {
        keys.keys.contains { TokenKeyMark($0) == mark && $0.isInForce(at: now) }
    }

    /// The key that has signed the token. The header must name its algorithm, and nothing that a verifier has to
    /// understand beyond that.
    func key(of token: SignedToken, now: Timestamp) -> TokenKey? {
        guard let header = try? JSONDecoder().decode(TokenHeader.self, from: token.header), header.crit == nil
        else { return nil }
        return keys.candidates(for: header.kid).first {
            $0.isInForce(at: now) && $0.algorithm == header.alg
                && $0.check.signed(token.signed, as: token.signature)
        }
    }
}

/// A token that was accepted.
public struct CheckedToken: Hashable, Sendable {
    /// Who its bearer acts as.
    public var identity: Identity
    /// The key that has signed it.
    public var key: TokenKeyMark
}

/// The fields of a token's header (RFC 7515 §4.1) that decide whether it can be checked.
struct TokenHeader: Codable {
    var alg: String
    var typ: String?
    /// Names the key.
    var kid: String?
    /// Extensions that a verifier must understand. This one knows none, so a token that names any is bad.
    var crit: [String]?
}
