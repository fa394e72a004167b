/// Why a server cannot be made or started.
public enum SyncServerError: Error, CustomStringConvertible {
    case notListening
    case plaintextBeyondLoopback(String)

    public var description: String {
        switch self {
        case .notListening: "The listener has no address."
        case .plaintextBeyondLoopback(let host):
            "Plaintext is for loopback only, and \(host) is not. Give --tls-cert and --tls-key."
        }
    }
}
