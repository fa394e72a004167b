import Crypto
import Foundation

/// Ed25519 keys in PEM (RFC 7468), as `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write them.
enum Ed25519PEM {
    /// What stands before the key's 32 bytes: a SubjectPublicKeyInfo of id-Ed25519 (RFC 8410 §4).
    private static let publicPrefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    /// What stands before the key's 32 bytes: a OneAsymmetricKey of version 1 and id-Ed25519, without attributes
    /// (RFC 8410 §7).
    private static let privatePrefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    static func publicKey(in text: String) -> Curve25519.Signing.PublicKey? {
        key(in: text, label: "PUBLIC KEY", after: publicPrefix).flatMap {
            try? Curve25519.Signing.PublicKey(rawRepresentation: $0)
        }
    }

    static func privateKey(in text: String) -> Curve25519.Signing.PrivateKey? {
        key(in: text, label: "PRIVATE KEY", after: privatePrefix).flatMap {
            try? Curve25519.Signing.PrivateKey(rawRepresentation: $0)
        }
    }

    /// The 32 bytes behind the prefix; nil when the text has no such block, or the block holds anything else.
    private static func key(in text: String, label: String, after prefix: [UInt8]) -> Data? {
        guard let begin = text.range(of: "-----BEGIN \(label)-----"),
            let end = text.range(of: "-----END \(label)-----", range: begin.upperBound..<text.endIndex),
            let bytes = Data(base64Encoded: text[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace }),
            bytes.count == prefix.count + 32, bytes.starts(with: prefix)
        else { return nil }
        return bytes.dropFirst(prefix.count)
    }
}
