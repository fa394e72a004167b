import NIOCore

/// An IP address, of 16 bytes: IPv4 is mapped into IPv6 (RFC 4291 §2.5.5.2), so that one of a device is the same on
/// sockets of both kinds.
struct ClientAddress: Hashable, Sendable {
    private(set) var high: UInt64
    private(set) var low: UInt64

    private static let mapped: UInt64 = 0xFFFF_0000_0000

    /// - Parameter bytes: 4 or 16, most significant first; nil for any other number.
    init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
        }
        switch bytes.count {
        case 4: (high, low) = (0, Self.mapped | number(bytes))
        case 16: (high, low) = (number(bytes.prefix(8)), number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    init?(_ address: SocketAddress) {
        // By their places, as Linux lays them out. Which of several C modules defines the fields depends on what is
        // compiled beside this file, and only the members of imported modules are visible.
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }

    /// - Parameter text: in numbers, as inet_pton(3) takes it.
    init?(text: some StringProtocol) {
        // The port has no meaning.
        guard let address = try? SocketAddress(ipAddress: String(text), port: 1) else { return nil }
        self.init(address)
    }

    /// In numbers, as firewalls and logs write it (RFC 5952).
    var text: String {
        let words = isIPv4 ? [low << 32] : [high, low]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        let packed = ByteBuffer(bytes: isIPv4 ? bytes.prefix(4) : bytes[...])
        // Four or sixteen bytes are always an address.
        return (try? SocketAddress(packedIPAddress: packed, port: 1))?.ipAddress ?? ""
    }

    var isIPv4: Bool { high == 0 && low >> 32 == Self.mapped >> 32 }

    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// What one client is counted by: an IPv4 address, or a network of IPv6, whose clients have 2⁶⁴ addresses each.
    var network: ClientAddress {
        var network = self
        if !isIPv4 { network.low = 0 }
        return network
    }
}

/// A range of addresses, in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or one address.
public struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    /// How many of the 128 bits an address has in common with `first`.
    private let bits: Int

    /// Nil when the text is no range.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = ClientAddress(text: parts[0]) else { return nil }
        let length = address.isIPv4 ? 32 : 128
        guard let bits = parts.count == 1 ? length : Int(parts[1]), (0...length).contains(bits) else { return nil }
        first = address
        self.bits = 128 - length + bits
    }

    func contains(_ address: ClientAddress) -> Bool {
        // Shifts by all 64 bits give zero.
        let (high, low) = (UInt64.max << max(0, 64 - bits), UInt64.max << min(64, 128 - bits))
        return (first.high ^ address.high) & high == 0 && (first.low ^ address.low) & low == 0
    }
}
