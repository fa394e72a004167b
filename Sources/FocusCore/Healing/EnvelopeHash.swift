import Crypto

/// The running hash of the envelopes that a receipt covers, each with what became of it (rule S6).
///
/// It starts afresh with each receipt: a server that lost the tail of its log knows nothing of what came before, so a
/// receipt stands for its own events alone. SHA-256 over, for each event in order:
///
///     0x01 event_id(16) occurred_at(8) schema_version(4) len type  app  len payload      when it was accepted
///     0x02 event_id(16) occurred_at(8)                   len type  len code  len message  when it was refused
///
/// Numbers are big-endian, `len` is 4 bytes and counts the bytes of what follows, `app` is `0x00` or `0x01 len app`.
/// A refusal stands in the log without the payload, so the hash leaves it out too.
public struct EnvelopeHash {
    private var hash = SHA256()
    private var fields: [UInt8] = []

    public init() { fields.reserveCapacity(128) }

    public mutating func add(_ envelope: Envelope, _ outcome: Outcome) {
        fields.removeAll(keepingCapacity: true)
        switch outcome {
        case .accepted:
            begin(1, envelope)
            number(envelope.schemaVersion)
            text(envelope.type)
            fields.append(envelope.app == nil ? 0 : 1)
            if let app = envelope.app { text(app) }
            number(UInt32(envelope.payload.count))
            fields.withUnsafeBytes { hash.update(bufferPointer: $0) }
            envelope.payload.withUnsafeBytes { hash.update(bufferPointer: $0) }
        case .refused(let code, let message):
            begin(2, envelope)
            text(envelope.type)
            text(code)
            text(message)
            fields.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
    }

    /// 32 bytes.
    public var value: [UInt8] { Array(hash.finalize()) }

    private mutating func begin(_ kind: UInt8, _ envelope: Envelope) {
        fields.append(kind)
        number(envelope.id.bits)
        number(envelope.occurredAt.microseconds)
    }

    private mutating func number(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { fields.append(contentsOf: $0) }
    }

    private mutating func text(_ text: String) {
        number(UInt32(text.utf8.count))
        fields.append(contentsOf: text.utf8)
    }
}
