/// How many connections may be open (rule Q2). One too many is told to go, and closed.
public struct ConnectionLimits: Sendable {
    /// In all; past it: `overloaded`. Each takes a descriptor, and the server needs others for its database.
    public var total = 20_000
    /// Without an accepted token; past it: `overloaded`. Each holds at most one frame of the size that is allowed
    /// before Hello (rule W1).
    public var unauthenticated = 16_384
    /// From one address, with a token or without; past it: `too_many`. Thousands of devices may share an address.
    public var perAddress = 4_096
    /// From one address without an accepted token; past it: `too_many`.
    public var unauthenticatedPerAddress = 512
    /// TLS handshakes that one address begins in a minute without waiting (rule Q8). No fewer than `perAddress`, so that
    /// all devices behind it may come back at once.
    public var handshakesPerAddress = 6_000
    /// Whether the bounds of an address hold for loopback too.
    public var limitsLoopback = false
    /// Proxies that name the client's address in front of each connection (PROXY protocol, version 2). Nobody else is
    /// believed.
    public var trustedProxies: [AddressRange] = []

    public init() {}
}

extension ConnectionLimits {
    /// What a connection from the address is counted by; nil when no address bounds it.
    func bounded(_ address: ClientAddress?) -> ClientAddress? {
        guard let address, limitsLoopback || !address.isLoopback else { return nil }
        return address.network
    }
}
