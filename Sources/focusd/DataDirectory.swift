import FocusCore
import Foundation
import SyncServer

/// The directory for what must outlive the server: its keys and the embedded cluster. The metrics file is there too.
struct DataDirectory {
    let path: String

    /// - Parameter path: the directory; nil: `/var/lib/focusd` for root, else `~/.local/share/focusd`.
    init(path: String?) {
        self.path = path ?? Self.standard
    }

    static var standard: String {
        geteuid() == 0 ? "/var/lib/focusd" : NSHomeDirectory() + "/.local/share/focusd"
    }

    /// The key that tokens are checked with: from `file`, or else the directory's `token.key`, which is made at first
    /// use.
    ///
    /// Throws `TokenKeyError` when the file holds no key, and Foundation's errors when it cannot be read or made.
    func tokenKey(file: String?) throws -> TokenKey {
        let text = try file.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? ownSecret(secretFile)
        if text.contains("-----BEGIN") { return .ed25519PublicPEM(text) }
        guard let secret = Self.secret(text) else { throw TokenKeyError(file: file ?? secretFile) }
        return .secret(secret)
    }

    /// The key of receipts (rule S6): from `file`; else derived from the secret of tokens, which every server of the
    /// log has; else, where tokens are checked with a public key, the directory's `receipt.key`, which is made at first
    /// use.
    ///
    /// Throws `ReceiptKeyError` when the file holds no key, and Foundation's errors when it cannot be read or made.
    func receiptKey(file: String?, tokens: TokenKey) throws -> ReceiptKey {
        if file == nil, case .secret(let secret) = tokens { return ReceiptKey(secret: secret) }
        let text = try file.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? ownSecret(receiptFile)
        guard let secret = Self.secret(text) else { throw ReceiptKeyError(file: file ?? receiptFile) }
        return ReceiptKey(secret: secret)
    }

    /// The bytes of at least 64 hex digits; nil when the text is anything else.
    private static func secret(_ text: String) -> [UInt8]? {
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // `UInt8(_:radix:)` takes a sign too.
        guard digits.allSatisfy(\.isHexDigit) else { return nil }
        let bytes = stride(from: 0, to: digits.utf8.count, by: 2).compactMap { offset -> UInt8? in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
        return bytes.count >= TokenKey.leastSecretBytes && bytes.count * 2 == digits.utf8.count ? bytes : nil
    }

    private var secretFile: String { path + "/token.key" }
    private var receiptFile: String { path + "/receipt.key" }

    /// The text of the file. When there is no file, makes one with 32 random bytes in hex, for its owner's eyes alone.
    private func ownSecret(_ secretFile: String) throws -> String {
        if FileManager.default.fileExists(atPath: secretFile) {
            return try String(contentsOfFile: secretFile, encoding: .utf8)
        }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<32).map { _ in
            let digits = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        let made = FileManager.default.createFile(
            atPath: secretFile, contents: Data((secret + "\n").utf8), attributes: [.posixPermissions: 0o600])
        guard made else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: secretFile]) }
        return secret
    }
}

/// A file that should hold the key of tokens holds something else.
struct TokenKeyError: Error, CustomStringConvertible {
    let file: String
    var description: String { "\(file) is no token key: at least 64 hex digits, or an Ed25519 public key in PEM." }
}

/// A file that should hold the key of receipts holds something else.
struct ReceiptKeyError: Error, CustomStringConvertible {
    let file: String
    var description: String { "\(file) is no receipt key: at least 64 hex digits." }
}
