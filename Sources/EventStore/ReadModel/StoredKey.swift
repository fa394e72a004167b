import Crypto

/// A row's key as its table holds it.
///
/// Ids come from devices and may have 4 KiB or hold U+0000; an index entry takes 2.7 KB at most and `text` no U+0000.
/// Such a key stands in `key_bytes`, and `key` holds a stand-in for it: U+0001, then its SHA-256.
struct StoredKey: Hashable, Sendable {
    /// Longer keys get a stand-in, in bytes of UTF-8.
    static let maximumBytes = 1_000
    private static let mark: UInt8 = 1

    let text: String
    /// The key itself, when `text` is a stand-in.
    let bytes: [UInt8]?

    init(_ key: String) {
        let utf8 = key.utf8
        if utf8.count <= Self.maximumBytes, utf8.first != Self.mark, !utf8.contains(0) {
            text = key
            bytes = nil
        } else {
            let bytes = Array(utf8)
            let digest = SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            text = "\u{1}" + digest.joined()
            self.bytes = bytes
        }
    }
}

extension String {
    /// The text as a `text` column for people can hold it: U+0000 becomes U+FFFD.
    var storable: String {
        guard utf8.contains(0) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
    }
}
