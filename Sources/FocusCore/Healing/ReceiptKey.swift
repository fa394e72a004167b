import Crypto

/// The secret of a log's servers that makes and checks receipts (rule S6). It is not in the database: a dump discloses
/// no receipt, and a database that is restored from a backup finds it unchanged.
public struct ReceiptKey: Sendable {
    /// Bytes of `Receipt.code`: an HMAC-SHA-256.
    public static let codeBytes = 32

    /// With the key in it, which takes two of the four blocks that a code would be hashed from: it is copied for each.
    private let keyed: HMAC<SHA256>

    /// - Parameter secret: at least 32 bytes. May be a secret that serves something else too: the key is derived from
    ///   it (HKDF, RFC 5869).
    public init(secret: [UInt8]) {
        keyed = HMAC<SHA256>(
            key: HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: secret), info: Array("focus-sync receipts 1".utf8),
                outputByteCount: 32))
    }

    /// The receipt for the events `first` to `through`, of which `hash` is the running hash.
    public func receipt(
        _ subject: ReceiptSubject, first: DeviceSequence, through: DeviceSequence, hash: EnvelopeHash
    ) -> Receipt {
        let code = code(subject, first: first, through: through, hash: hash)
        return Receipt(first: first, through: through, code: Array(code))
    }

    /// Whether these very events were logged, with these very outcomes, by a server with this key.
    public func accepts(_ receipt: Receipt, of subject: ReceiptSubject, hash: EnvelopeHash) -> Bool {
        // The comparison takes the same time for any two codes.
        code(subject, first: receipt.first, through: receipt.through, hash: hash) == receipt.code
    }

    private func code(
        _ subject: ReceiptSubject, first: DeviceSequence, through: DeviceSequence, hash: EnvelopeHash
    ) -> HashedAuthenticationCode<SHA256> {
        var mac = keyed
        Self.text(subject, first: first, through: through, hash: hash).withUnsafeBytes { mac.update(data: $0) }
        return mac.finalize()
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
        text += subject.scope.text.utf8
        return text
    }
}
