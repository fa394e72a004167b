import FocusCore
import Foundation

/// Checks tokens. The answer to a bad one is nil, whatever is wrong with it (rule A1).
public struct TokenVerifier: Sendable {
    /// How far ahead a token may end, in microseconds: a year, and a month to renew it in. A token that ends later, or
    /// never, is a mistake of its issuer, and would serve whoever steals it for ever.
    public static let longestLife: Int64 = 400 * 86_400 * 1_000_000
    /// How far ahead `nbf` may be, in microseconds: the clocks of issuer and server differ (RFC 7519 §4.1.5).
    static let leeway: Int64 = 60 * 1_000_000

    private let key: VerificationKey

    public init(_ key: VerificationKey) {
        self.key = key
    }

    /// Who the token's bearer acts as; nil when the token is bad, or not valid at `now`.
    public func identity(of text: String, now: Timestamp) -> Identity? {
        // Why a token is bad is dropped on purpose: a caller must not learn it, and its issuer can look into the token.
        guard let token = SignedToken(text), isForUs(token.header), key.signed(token.signed, as: token.signature),
            let claims = try? JSONDecoder().decode(TokenClaims.self, from: token.claims),
            let identity = claims.identity,
            identity.expiresAt > now, identity.expiresAt <= now.adding(microseconds: Self.longestLife)
        else { return nil }
        if let notBefore = claims.nbf {
            guard let begin = Timestamp(claimed: notBefore), begin <= now.adding(microseconds: Self.leeway)
            else { return nil }
        }
        return identity
    }

    /// Whether the header names the key's algorithm, and nothing that a verifier has to understand beyond that.
    private func isForUs(_ json: Data) -> Bool {
        guard let header = try? JSONDecoder().decode(TokenHeader.self, from: json) else { return false }
        return header.alg == key.algorithm && header.crit == nil
    }
}

/// The fields of a token's header (RFC 7515 §4.1) that decide whether it can be checked.
struct TokenHeader: Codable {
    var alg: String
    var typ: String?
    /// Extensions that a verifier must understand. This one knows none, so a token that names any is bad.
    var crit: [String]?
}
