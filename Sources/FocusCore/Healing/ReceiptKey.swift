import Crypto

/// The secret of a log's servers that makes and checks receipts (rule S6). It is not in the database: a dump discloses
/// no receipt, and a database that is restored from a backup finds it unchanged.
public struct ReceiptKey: Sendable {
    /// Bytes of `Receipt.code`: an HMAC-SHA-256.
    public static let codeBytes = 32

    private let key: SymmetricKey

    /// - Parameter secret: at least 32 bytes. May be a secret that serves something else too: the key is derived from
    ///   it (HKDF, RFC 5869).
    public init(secret: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Array("focus-sync receipts 1".utf8),
            outputByteCount: 32)
    }

    /// The receipt for the events `first` to `through`, of which `hash` is the running hash.
    public func receipt(
        _ subject: ReceiptSubject, first: DeviceSequence, through: DeviceSequence, hash: EnvelopeHash
    ) -> Receipt {
        let text = Self.text(subject, first: first, through: through, hash: hash)
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        return Receipt(first: first, through: through, code: Array(code))
    }

    /// Whether these very events were logged, with these very outcomes, by a server with this key.
    public func accepts(_ receipt: Receipt, of subject: ReceiptSubject, hash: EnvelopeHash) -> Bool {
        let text = Self.text(subject, first: receipt.first, through: receipt.through, hash: hash)
        return HMAC<SHA256>.isValidAuthenticationCode(receipt.code, authenticating: text, using: key)
    }

    /// log(16) user(16) device(16) incarnation(8) first(8) through(8) hash(32), then the scope: `system` or `app:<id>`.
    private static func text(
        _ subject: ReceiptSubject, first: DeviceSequence, through: DeviceSequence, hash: EnvelopeHash
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(160)
        text += subject.log.bytes
        text += subject.user.bytes
        text += subject.device.bytes
        for number in [subject.incarnation.rawValue, first.rawValue, through.rawValue] {
            withUnsafeBytes(of: number.bigEndian) { text.append(contentsOf: $0) }
        }
        text += hash.value
        text += Array(subject.scope.text.utf8)
        return text
    }
}
