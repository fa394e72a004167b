/// Signs tokens with one key, and names it in them.
public struct TokenSigner: Sendable {
    private let key: SigningKey
    /// The `kid` of its tokens; nil: they name no key.
    public let id: String?

    public init(_ key: SigningKey, id: String? = nil) { (self.key, self.id) = (key, id) }

    /// Signs with the key of a file that new tokens are signed with. Nil when the text holds no key, or only public
    /// ones.
    public init?(text: String) {
        guard let set = TokenKeySet(text: text), let index = set.signingIndex, let signing = set.keys[index].signing
        else { return nil }
        self.init(signing, id: set.keys[index].id)
    }

    /// A token with the claims.
    ///
    /// Throws the errors of JSON's encoder (for a number that JSON cannot hold) and of swift-crypto.
    public func token(_ claims: TokenClaims) throws -> String { try key.token(claims, id: id) }

    /// An operator's token with the claims; throws as the other.
    public func token(_ claims: AdminClaims) throws -> String { try key.token(claims, id: id) }
}
