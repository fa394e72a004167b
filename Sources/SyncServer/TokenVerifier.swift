import FocusCore
import Foundation
import JWTKit

/// The fields of a token's header (RFC 7515 §4.1) that JWTKit does not check: it verifies with the key that it has,
/// whatever algorithm the header names, and ignores `crit`.
private struct TokenHeader: Decodable {
    var alg: String
    /// Extensions that a verifier must understand. This program knows none, so a token that names any is bad.
    var crit: [String]?

    init?(of token: String) {
        guard let part = token.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first,
            let header = try? JSONDecoder().decode(Self.self, from: Data(base64URL: part))
        else { return nil }
        self = header
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 4648 §5). Empty when the text is anything else.
    fileprivate init(base64URL text: Substring) {
        let base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self = Data(base64Encoded: base64 + padding) ?? Data()
    }
}

/// Checks tokens. The answer to a bad one is nil, whatever is wrong with it (rule A1).
public struct TokenVerifier: Sendable {
    /// How far ahead a token may end, in microseconds: a year, and a month to renew it in. A token that ends later, or
    /// never, is a mistake of its issuer, and would serve whoever steals it for ever.
    static let longestLife: Int64 = 400 * 86_400 * 1_000_000
    /// How far ahead `nbf` may be, in microseconds: the clocks of issuer and server differ (RFC 7519 §4.1.5).
    static let leeway: Int64 = 60 * 1_000_000

    private let keys = JWTKeyCollection()
    private let algorithm: String

    /// Throws `TokenSecretTooShort`, and what JWTKit throws of a PEM that holds no Ed25519 public key.
    public init(_ key: TokenKey) async throws {
        switch key {
        case .secret(let bytes):
            guard bytes.count >= TokenKey.leastSecretBytes else { throw TokenSecretTooShort(bytes: bytes.count) }
            algorithm = "HS256"
            await keys.add(hmac: HMACKey(from: Data(bytes)), digestAlgorithm: .sha256)
        case .ed25519PublicPEM(let pem):
            algorithm = "EdDSA"
            await keys.add(eddsa: try EdDSA.PublicKey(pem: pem))
        }
    }

    func identity(of token: String, now: Timestamp) async -> Identity? {
        // Errors are dropped on purpose: a caller must not learn why a token is bad, and its issuer can look into it.
        guard let header = TokenHeader(of: token), header.alg == algorithm, header.crit == nil,
            let claims = try? await keys.verify(token, as: TokenClaims.self), let identity = claims.identity,
            identity.expiresAt > now, identity.expiresAt <= now.adding(microseconds: Self.longestLife)
        else { return nil }
        if let notBefore = claims.nbf {
            guard let begin = Timestamp(claimed: notBefore.value), begin <= now.adding(microseconds: Self.leeway)
            else { return nil }
        }
        return identity
    }
}
