/// Why a server cannot be made or started.
public enum SyncServerError: Error, CustomStringConvertible {
    case notListening
    /// The address of `--listen`.
    case cannotListen(String, reason: String)
    case plaintextBeyondLoopback(String)
    /// The file of a certificate or of its key.
    case unusableCertificate(String, reason: String)

    public var description: String {
        switch self {
        case .notListening: "The listener has no address."
        case .cannotListen(let address, let reason): "\(address) cannot be listened on: \(reason)."
        case .plaintextBeyondLoopback(let host):
            "Plaintext is for loopback only, and \(host) is not. Give --tls-cert and --tls-key."
        case .unusableCertificate(let file, let reason): "\(file) cannot be used for TLS: \(reason)."
        }
    }
}
