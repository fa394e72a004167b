import Crypto

/// A sum of row hashes modulo 2^128 (rule S9): equal sets of rows have equal digests, in whatever order they came.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    public private(set) var sum: UInt128

    public init(sum: UInt128 = 0) { self.sum = sum }

    public static func += (digest: inout Digest, row: RowHash) { digest.sum &+= row.value }
    public static func -= (digest: inout Digest, row: RowHash) { digest.sum &-= row.value }
    public static func += (digest: inout Digest, other: Digest) { digest.sum &+= other.sum }

    /// 16 bytes, most significant first.
    public var bytes: [UInt8] { withUnsafeBytes(of: sum.bigEndian) { Array($0) } }

    /// Nil unless `bytes` are exactly 16.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        sum = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    public var description: String {
        let text = String(sum, radix: 16)
        return String(repeating: "0", count: 32 - text.count) + text
    }
}

/// The first 16 bytes of the SHA-256 over a row's length-prefixed fields: collection, app, key, value (rule S9). Each
/// length is 4 bytes, big-endian; a row without an app has an empty one.
public struct RowHash: Hashable, Sendable {
    public let value: UInt128

    public init(_ key: RowKey, value bytes: [UInt8]) {
        var message: [UInt8] = []
        message.reserveCapacity(64 + key.key.utf8.count + bytes.count)
        Self.append(key.collection.rawValue.utf8, to: &message)
        Self.append((key.app?.rawValue ?? "").utf8, to: &message)
        Self.append(key.key.utf8, to: &message)
        Self.append(bytes, to: &message)
        value = SHA256.hash(data: message).withUnsafeBytes { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    init(value: UInt128) { self.value = value }

    private static func append(_ field: some Collection<UInt8>, to message: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { message.append(contentsOf: $0) }
        message.append(contentsOf: field)
    }
}
