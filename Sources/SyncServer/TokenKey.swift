/// The key that tokens are checked with.
public enum TokenKey: Sendable {
    /// The secret of HS256, with which their issuer signs: at least `leastSecretBytes`.
    case secret([UInt8])
    /// An Ed25519 public key in PEM, for EdDSA.
    case ed25519PublicPEM(String)

    /// A secret of HS256 has at least as many bytes as its hash (RFC 7518 §3.2).
    public static let leastSecretBytes = 32
}

/// A secret is too short to check tokens with.
public struct TokenSecretTooShort: Error, Hashable, CustomStringConvertible {
    /// How many bytes it has.
    public var bytes: Int
    public var description: String {
        "The secret for tokens has \(bytes) bytes; HS256 takes at least \(TokenKey.leastSecretBytes)."
    }
}
