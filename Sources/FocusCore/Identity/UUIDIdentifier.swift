import Foundation

/// An identifier that is a UUID. Distinct types keep a device from being taken for a user.
public protocol UUIDIdentifier: Hashable, Sendable, Comparable, CustomStringConvertible {
    var uuid: UUID { get }
    init(_ uuid: UUID)
}

extension UUIDIdentifier {
    /// The canonical lower-case text form (RFC 9562 §4).
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        appendText(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the 36 characters of `description`.
    public func appendText(to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { characters in
            characters.initialize(repeating: UInt8(ascii: "-"))
            withUnsafeBytes(of: uuid.uuid) { bytes in
                for index in 0..<16 {
                    // Before the bytes 4, 6, 8 and 10 stands a dash.
                    let place = 2 * index + min(max(index / 2 - 1, 0), 4)
                    characters[place] = Self.digit(bytes[index] >> 4)
                    characters[place + 1] = Self.digit(bytes[index] & 15)
                }
            }
            text.append(contentsOf: characters)
        }
    }

    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") - 10 + number
    }

    /// Nil when `text` is not a UUID.
    public init?(text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.init(uuid)
    }

    /// Nil unless `bytes` are exactly 16.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        self.init(UUID(uuid: value))
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    /// The bytes as two words, which are hashed faster than `UUID` hashes its bytes; a server looks ids up all the
    /// time.
    private var words: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid.uuid) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    public static func == (a: Self, b: Self) -> Bool { a.words == b.words }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }

    public static func < (a: Self, b: Self) -> Bool {
        withUnsafeBytes(of: a.uuid.uuid) { x in
            withUnsafeBytes(of: b.uuid.uuid) { y in x.lexicographicallyPrecedes(y) }
        }
    }
}
