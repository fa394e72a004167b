import NIOCore
import NIOSSL

/// Where the port for machines listens, how it is secured, and its bounds.
public struct AdminConfiguration: Sendable {
    /// A host name or an address.
    public var host: String
    /// 0 means any free port.
    public var port: Int
    /// PEM files: the chain and its key. Loopback does without them and is never encrypted.
    public var certificate: (chain: String, key: String)?
    /// Names of the server that requests may use beside its address, without a port or with it.
    public var names: [String] = []
    /// Connections at a time. One more has the oldest closed: who is slow gives way, and a scrape takes milliseconds.
    public var connections = 64
    /// Bytes of a request. Past this it is answered 431.
    public var requestBytes = 16 * 1024
    /// How long a connection may take, from its beginning to the last byte of the answer.
    public var patience = Duration.seconds(10)

    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Whether only this machine reaches the port.
    public var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    /// The context for TLS; nil on loopback.
    func makeContext() throws -> NIOSSLContext? {
        guard !isLoopback else { return nil }
        guard let certificate else { throw AdminPortError.plaintextBeyondLoopback(host) }
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        // A machine that is gone does not answer the end of TLS, and a server that stops waits for it.
        tls.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: tls)
    }
}
