import Crypto
import FocusCore
import Foundation
import Tokens

/// The key files of a data directory: `token.key`, with the keys of tokens, and `receipt.key`.
///
/// Flow: `find` what is there → the log says whether it has events → `complete` makes what is missing, or refuses.
public struct KeyDirectory: Sendable {
    public let path: String

    public init(_ path: String) { self.path = path }

    public var tokenFile: String { path + "/token.key" }
    public var receiptFile: String { path + "/receipt.key" }

    /// Which files the operator names instead of those in the directory.
    public struct Choice: Sendable {
        var tokens: String?
        var receipts: String?
        /// Whether the directory belongs to the log. Beside an operator's database it may be another server's.
        var isOfLog: Bool

        public init(tokens: String?, receipts: String?, isOfLog: Bool) {
            (self.tokens, self.receipts, self.isOfLog) = (tokens, receipts, isOfLog)
        }
    }

    /// What the files say.
    public struct Found: Sendable {
        /// The file of the keys of tokens.
        public let tokenFile: String
        /// Its text and its keys; nil: there is none.
        fileprivate let tokens: (text: String, keys: TokenKeySet)?
        /// The secret of receipts, in hex; nil: there is none.
        fileprivate let receipts: String?
        /// Whether that secret is the tokens', and goes into a file of its own.
        fileprivate let keepsTokenSecret: Bool
    }

    /// The keys that a server works with.
    public struct Keys: Sendable {
        /// The text of the file of tokens, to see later whether it has changed.
        public let tokenText: String
        public let tokens: TokenKeySet
        public let receipts: ReceiptKey
        /// The files that were made, because there were none.
        public let made: [String]
    }

    /// Reads the files, and makes none.
    ///
    /// Where there is no key of receipts and tokens have one secret alone, receipts are made from that: earlier programs
    /// did so.
    public func find(_ choice: Choice) throws(KeyFileError) -> Found {
        let file = choice.tokens ?? tokenFile
        var tokens: (text: String, keys: TokenKeySet)?
        if let text = try SecretFile.read(file) {
            guard let keys = TokenKeySet(text: text) else { throw .noTokenKeys(file) }
            tokens = (text, keys)
        } else if choice.tokens != nil {
            throw .unreadable(file, reason: "there is no such file")
        }
        let lone = (tokens?.text).flatMap(TokenKeySet.loneSecret).map(Self.hex)
        if let named = choice.receipts {
            guard let receipts = try Self.secret(named) else {
                throw .unreadable(named, reason: "there is no such file")
            }
            return Found(tokenFile: file, tokens: tokens, receipts: receipts, keepsTokenSecret: false)
        }
        // All servers of the log have this secret; the directory may be of another log.
        if let lone, choice.tokens != nil, !choice.isOfLog {
            return Found(tokenFile: file, tokens: tokens, receipts: lone, keepsTokenSecret: false)
        }
        let own = try Self.secret(receiptFile)
        return Found(
            tokenFile: file, tokens: tokens, receipts: own ?? lone, keepsTokenSecret: own == nil && lone != nil)
    }

    /// The keys, with new ones in the place of those that there are not. What receipts are made with has a file of its
    /// own from then on, so that no change of the keys of tokens changes it.
    ///
    /// Throws `.tokenKeyMissing` or `.receiptKeyMissing` when the log has events: it was served with keys that are not
    /// here.
    public func complete(_ found: Found, logHasEvents: Bool) throws(KeyFileError) -> Keys {
        if logHasEvents {
            if found.tokens == nil { throw .tokenKeyMissing(found.tokenFile) }
            if found.receipts == nil { throw .receiptKeyMissing(receiptFile) }
        }
        let makesReceipts = found.receipts == nil || found.keepsTokenSecret
        if found.tokens == nil || makesReceipts { try makeDirectory() }
        let receipts = found.receipts ?? Self.hex(Self.randomSecret())
        if makesReceipts { try SecretFile.create(receiptFile, receipts + "\n") }
        let made = (found.tokens == nil ? [found.tokenFile] : []) + (makesReceipts ? [receiptFile] : [])
        let tokens: (text: String, keys: TokenKeySet)
        if let known = found.tokens { tokens = known } else { tokens = try Self.makeTokens(found.tokenFile) }
        guard let secret = HexSecret.bytes(receipts) else { throw .noReceiptKey(receiptFile) }
        return Keys(tokenText: tokens.text, tokens: tokens.keys, receipts: ReceiptKey(secret: secret), made: made)
    }

    /// Keeps the one secret that receipts were made from so far, before the keys of tokens change.
    /// - Returns: the file that was made; nil: there was nothing to keep, or it is kept already.
    public func keepReceiptSecret(of tokenText: String) throws(KeyFileError) -> String? {
        guard let secret = TokenKeySet.loneSecret(tokenText), try Self.secret(receiptFile) == nil else { return nil }
        try SecretFile.create(receiptFile, Self.hex(secret) + "\n")
        return receiptFile
    }

    // MARK: New keys

    /// Makes a file with one new HS256 key, which has a name.
    private static func makeTokens(_ file: String) throws(KeyFileError) -> (text: String, keys: TokenKeySet) {
        var key = TokenKey(id: newName(), .secret(randomSecret()))
        key.addedAt = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let keys = TokenKeySet(lone: key)
        guard let text = try? keys.text() else { throw .unwritable(file, reason: "the key cannot be encoded") }
        try SecretFile.create(file, text)
        return (text, keys)
    }

    /// 32 random bytes.
    public static func randomSecret() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// A new key of EdDSA.
    public static func randomEd25519() -> SigningKey { .ed25519(Curve25519.Signing.PrivateKey()) }

    /// A name for a new key: it only has to differ from those of others.
    public static func newName() -> String { "k-" + hex(randomSecret().prefix(4)) }

    private func makeDirectory() throws(KeyFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        } catch {
            throw .unwritable(path, reason: error.localizedDescription)
        }
    }

    /// The secret that a file holds, in hex; nil when there is no file.
    private static func secret(_ file: String) throws(KeyFileError) -> String? {
        guard let text = try SecretFile.read(file) else { return nil }
        guard let secret = HexSecret.bytes(text) else { throw .noReceiptKey(file) }
        return hex(secret)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
