import FocusCore

/// A key of tokens, as a server or an issuer holds it.
public struct TokenKey: Sendable {
    /// The `kid` of the tokens that it signs (RFC 7515 §4.1.4). Nil: the key has no name, and checks the tokens that
    /// name none, or one that no other key has.
    public var id: String?
    /// Checks signatures.
    public let check: VerificationKey
    /// Makes them; nil where only the public key is known.
    public let signing: SigningKey?
    /// Whether new tokens are signed with it; of a set, at most one key is.
    public var signs = false
    /// From when on its tokens are not accepted any more, whatever they say; nil: nobody has said.
    public var retiresAt: Timestamp?
    /// When it was made or added; for people.
    public var addedAt: Timestamp?
    /// What tells `check` from other keys: made once, as every session holds it.
    fileprivate let mark: [UInt8]

    public init(id: String?, _ signing: SigningKey) {
        (self.id, self.signing, check) = (id, signing, signing.verificationKey)
        mark = check.mark
    }

    public init(id: String?, checking check: VerificationKey) {
        (self.id, self.check, signing) = (id, check, nil)
        mark = check.mark
    }

    /// The name of its algorithm in headers of tokens and in JWKs.
    public var algorithm: String { check.algorithm }

    /// Whether its tokens are accepted at that time.
    public func isInForce(at now: Timestamp) -> Bool { retiresAt.map { $0 > now } ?? true }
}

/// Names a key within a server: which one a session's token was checked with.
public struct TokenKeyMark: Hashable, Sendable {
    let id: String?
    let check: [UInt8]

    init(_ key: TokenKey) { (id, check) = (key.id, key.mark) }
}
