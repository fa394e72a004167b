import Crypto
import FocusCore
import Foundation

/// A JSON Web Key Set (RFC 7517 §5).
struct JWKSet: Codable {
    var keys: [JWK]
}

/// A JSON Web Key (RFC 7517 §4) of one of the two kinds that tokens have: `oct` for HS256 (RFC 7518 §6.4) and `OKP` with
/// Ed25519 for EdDSA (RFC 8037 §2). `exp`, `iat` and `signs` are our own; others ignore them.
struct JWK: Codable {
    var kty: String
    var crv: String?
    var alg: String?
    var use: String?
    var kid: String?
    /// The secret.
    var k: String?
    /// The public key.
    var x: String?
    /// The private key.
    var d: String?
    /// See `TokenKey.retiresAt`; in seconds since 1970, as a token's.
    var exp: Double?
    /// See `TokenKey.addedAt`; in seconds since 1970.
    var iat: Double?
    /// See `TokenKey.signs`.
    var signs: Bool?

    init(_ key: TokenKey) {
        (kid, alg, use) = (key.id, key.algorithm, "sig")
        exp = key.retiresAt.map { Double($0.microseconds) / 1_000_000 }
        iat = key.addedAt.map { Double($0.microseconds) / 1_000_000 }
        signs = key.signs ? true : nil
        switch key.check {
        case .secret(let secret):
            kty = "oct"
            k = Data(secret).base64URL
        case .ed25519(let publicKey):
            (kty, crv) = ("OKP", "Ed25519")
            x = publicKey.rawRepresentation.base64URL
            if case .ed25519(let privateKey)? = key.signing { d = privateKey.rawRepresentation.base64URL }
        }
    }

    /// Whether it is a key that signs or checks tokens of an algorithm that this program has.
    var isForTokens: Bool {
        guard use == nil || use == "sig" else { return false }
        switch kty {
        case "oct": return alg == nil || alg == "HS256"
        case "OKP": return crv == "Ed25519" && (alg == nil || alg == "EdDSA" || alg == "Ed25519")
        default: return false
        }
    }

    /// Nil when a member that it needs is missing or has no valid value.
    var tokenKey: TokenKey? {
        guard var key = bareKey, kid.map({ !$0.isEmpty && $0.utf8.count <= 128 }) ?? true else { return nil }
        if let exp {
            guard let end = Timestamp(claimed: exp) else { return nil }
            key.retiresAt = end
        }
        key.addedAt = iat.flatMap { Timestamp(claimed: $0) }
        key.signs = signs ?? false
        return key
    }

    private var bareKey: TokenKey? {
        if kty == "oct" {
            // RFC 7518 §3.2: a key of the size of the hash or larger.
            guard let k, let secret = Data(base64URL: k), secret.count >= 32 else { return nil }
            return TokenKey(id: kid, .secret(Array(secret)))
        }
        guard let x, let published = Data(base64URL: x),
            let check = try? Curve25519.Signing.PublicKey(rawRepresentation: published)
        else { return nil }
        guard let d else { return TokenKey(id: kid, checking: .ed25519(check)) }
        guard let secret = Data(base64URL: d),
            let signing = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret),
            signing.publicKey.rawRepresentation == published
        else { return nil }
        return TokenKey(id: kid, .ed25519(signing))
    }
}
