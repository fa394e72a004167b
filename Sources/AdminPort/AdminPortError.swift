/// Why there is no port for machines.
public enum AdminPortError: Error, CustomStringConvertible {
    /// Figures and tokens would pass a network in the clear.
    case plaintextBeyondLoopback(String)
    case notListening

    public var description: String {
        switch self {
        case .plaintextBeyondLoopback(let host):
            "the port for machines needs TLS on \(host): without a certificate it is on 127.0.0.1, ::1 or localhost"
        case .notListening: "the port for machines does not listen"
        }
    }
}
