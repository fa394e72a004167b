import FocusCore
import Foundation

/// The keys that tokens are checked with, several at once, so that one can take over from another without anybody being
/// shut out.
///
/// Flow: the text of a file → keys → `TokenVerifier`, or `TokenSigner` for whoever issues tokens.
public struct TokenKeySet: Sendable {
    /// The most keys of a set: a token without `kid` is tried with every key that has no name.
    public static let limit = 64

    public let keys: [TokenKey]

    /// Nil when there is no key or there are too many, when two have the same name, or when two sign.
    public init?(_ keys: [TokenKey]) {
        guard (1...Self.limit).contains(keys.count), keys.count(where: \.signs) <= 1 else { return nil }
        let names = keys.compactMap(\.id)
        guard Set(names).count == names.count, keys.allSatisfy({ !$0.signs || $0.signing != nil }) else { return nil }
        self.keys = keys
    }

    /// One key alone.
    public init(lone key: TokenKey) { keys = [key] }

    /// Reads the text of a key file: a JWK Set (RFC 7517 §5), or one key alone, which has no name: a secret in hex, at
    /// least 64 digits, or an Ed25519 key in PEM. Nil when it holds nothing of the kind.
    ///
    /// Keys of a JWK Set that are for something else, encryption or another algorithm, are left out, as RFC 7517 says.
    public init?(text: String) {
        if let signing = SigningKey(text: text) {
            self.init(lone: TokenKey(id: nil, signing))
        } else if let check = VerificationKey(text: text) {
            self.init(lone: TokenKey(id: nil, checking: check))
        } else {
            guard let document = try? JSONDecoder().decode(JWKSet.self, from: Data(text.utf8)) else { return nil }
            var keys: [TokenKey] = []
            for key in document.keys where key.isForTokens {
                guard let key = key.tokenKey else { return nil }
                keys.append(key)
            }
            self.init(keys)
        }
    }

    /// The set as a JWK Set, which `init(text:)` reads.
    ///
    /// Throws the errors of JSON's encoder.
    public func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(JWKSet(keys: keys.map(JWK.init))), as: UTF8.self) + "\n"
    }

    /// Where the key is that new tokens are signed with: the one that says so; else the first that has no name; else
    /// the first of all. Nil when none of those can sign.
    public var signingIndex: Int? {
        let able = keys.indices.filter { keys[$0].signing != nil }
        return able.first { keys[$0].signs } ?? able.first { keys[$0].id == nil } ?? able.first
    }

    /// The secret of a file that holds one HS256 key alone and is no JWK Set. Receipts were made from it where there
    /// was no other key for them (rule S6).
    public static func loneSecret(_ text: String) -> [UInt8]? { HexSecret.bytes(text) }

    /// The keys that may have signed a token: the one that it names; else those without a name.
    func candidates(for id: String?) -> [TokenKey] {
        if let id, let named = keys.first(where: { $0.id == id }) { return [named] }
        return keys.filter { $0.id == nil }
    }
}
