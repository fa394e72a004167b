import Crypto
import Foundation

/// The key that tokens are checked with.
public enum VerificationKey: Sendable {
    /// The secret of HS256, which also signs: at least 32 bytes (RFC 7518 §3.2).
    case secret([UInt8])
    /// The public key of EdDSA with Ed25519 (RFC 8037 §3.1).
    case ed25519(Curve25519.Signing.PublicKey)

    /// Reads the text of a key file: a secret in hex, at least 64 digits, or an Ed25519 public key in PEM. Nil when it
    /// holds neither.
    public init?(text: String) {
        if let key = Ed25519PEM.publicKey(in: text) {
            self = .ed25519(key)
        } else if let secret = HexSecret.bytes(text) {
            self = .secret(secret)
        } else {
            return nil
        }
    }

    /// The name in a token's header (RFC 7518 §3.1, RFC 8037 §3.1).
    var algorithm: String {
        switch self {
        case .secret: "HS256"
        case .ed25519: "EdDSA"
        }
    }

    /// What tells it from other keys. It is no secret, and no secret can be had from it.
    var mark: [UInt8] {
        switch self {
        case .secret(let secret): Array(SHA256.hash(data: Array("focus-sync key mark".utf8) + secret))
        case .ed25519(let key): Array(key.rawRepresentation)
        }
    }

    /// Whether `signature` is this key's of the bytes. Takes the same time for every wrong one.
    func signed(_ bytes: Data, as signature: Data) -> Bool {
        switch self {
        case .secret(let secret):
            HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: bytes, using: SymmetricKey(data: secret))
        case .ed25519(let key):
            key.isValidSignature(signature, for: bytes)
        }
    }
}
