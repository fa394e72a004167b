/// The key that tokens are checked with.
public enum TokenKey: Sendable {
    /// The secret of HS256, which also signs: at least 32 bytes (RFC 7518 §3.2).
    case secret([UInt8])
    /// An Ed25519 public key in PEM, for EdDSA.
    case ed25519PublicPEM(String)
}
