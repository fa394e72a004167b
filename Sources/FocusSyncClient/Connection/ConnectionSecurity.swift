import NIOCore
import NIOSSL

/// How a connection is secured.
public enum ConnectionSecurity: Hashable, Sendable {
    /// TLS 1.3.
    /// - Parameter trustFile: PEM file of the certificates to trust; nil: the system's.
    case tls(trustFile: String?)
    /// No encryption; for loopback addresses only.
    case plaintext

    func handler(for address: ServerAddress) throws -> NIOSSLClientHandler? {
        guard case .tls(let trustFile) = self else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["focus-sync/1"]
        // A server that is gone does not answer the end of TLS.
        tls.shutdownTimeout = .seconds(1)
        if let trustFile { tls.trustRoots = .file(trustFile) }
        // A numeric address has no server name; the certificate is checked against the address itself.
        return try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: tls), serverHostname: address.isNumeric ? nil : address.host)
    }
}
