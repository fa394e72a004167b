import NIOCore

/// Where a server listens.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or a numeric address, without brackets.
    public var host: String
    public var port: Int

    /// Where `focusd serve` listens unless told otherwise.
    public static let standard = ServerAddress(host: "127.0.0.1", port: 7464)

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, with an IPv6 host in brackets. Nil for any other text, and for a port outside 1 … 65,535.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, text.hasPrefix("[") || !host.contains(":") else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether the address is this machine's own, so that nobody can listen in on the way.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        guard isNumeric else { return false }
        return host.hasPrefix("127.")
    }

    /// Whether the host is an IPv4 or IPv6 address, not a name.
    var isNumeric: Bool {
        do {
            _ = try SocketAddress(ipAddress: host, port: port)
            return true
        } catch {
            return false
        }
    }
}
