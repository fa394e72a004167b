import Crypto
import Foundation

/// The key that tokens are signed with.
public enum SigningKey: Sendable {
    /// The secret of HS256, which also checks: at least 32 bytes (RFC 7518 §3.2).
    case secret([UInt8])
    /// The private key of EdDSA with Ed25519 (RFC 8037 §3.1).
    case ed25519(Curve25519.Signing.PrivateKey)

    /// Reads the text of a key file: a secret in hex, at least 64 digits, or an Ed25519 private key in PEM. Nil when it
    /// holds neither.
    public init?(text: String) {
        if let key = Ed25519PEM.privateKey(in: text) {
            self = .ed25519(key)
        } else if let secret = HexSecret.bytes(text) {
            self = .secret(secret)
        } else {
            return nil
        }
    }

    /// The key that checks what this one signs.
    public var verificationKey: VerificationKey {
        switch self {
        case .secret(let secret): .secret(secret)
        case .ed25519(let key): .ed25519(key.publicKey)
        }
    }

    /// A token with the claims.
    ///
    /// Throws the errors of JSON's encoder (for a number that JSON cannot hold) and of swift-crypto.
    /// - Parameter id: the token's `kid`; nil: the token names no key.
    public func token(_ claims: TokenClaims, id: String? = nil) throws -> String { try text(claims, id: id) }

    /// An operator's token with the claims; throws as the other.
    /// - Parameter id: the token's `kid`; nil: the token names no key.
    public func token(_ claims: AdminClaims, id: String? = nil) throws -> String { try text(claims, id: id) }

    private func text(_ claims: some Encodable, id: String?) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = TokenHeader(alg: verificationKey.algorithm, typ: "JWT", kid: id)
        return try SignedToken.text(header: encoder.encode(header), claims: encoder.encode(claims), sign: signature)
    }

    /// The signature of the bytes.
    func signature(of bytes: Data) throws -> Data {
        switch self {
        case .secret(let secret):
            Data(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
        case .ed25519(let key):
            try key.signature(for: bytes)
        }
    }
}
