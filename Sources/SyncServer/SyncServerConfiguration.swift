import FocusCore
import NIOSSL

/// Where the server listens, how it is secured, and its bounds.
public struct SyncServerConfiguration: Sendable {
    public var host: String
    /// 0: any free port.
    public var port: Int
    public var security: Security
    public var limits = SessionLimits()
    /// Bytes of appends taken and not yet committed, over all sessions; past it sockets are not read.
    public var inboundBytes = 64 * 1024 * 1024
    /// Connections without an accepted token; one more is sent away as `overloaded`.
    public var unauthenticatedConnections = 16_384
    public var eventLoops = 1
    /// Makes and checks receipts (rule S6): the same on every server of the log. Nil: none are given or honoured, and
    /// what devices bring back is judged as if it came for the first time.
    public var receiptKey: ReceiptKey?
    /// How often a user, chosen by chance, is folded afresh and compared with the read model. Nil: never.
    public var verifyInterval: Duration?

    public init(host: String, port: Int, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    public enum Security: Sendable {
        /// TLS 1.3 with a PEM certificate chain and its key.
        case tls(certificateFile: String, keyFile: String)
        /// No encryption: loopback only.
        case plaintext
    }
}

extension SyncServerConfiguration.Security {
    /// Nil for plaintext.
    func makeContext() throws -> NIOSSLContext? {
        guard case .tls(let certificateFile, let keyFile) = self else { return nil }
        let chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv13
        tls.applicationProtocols = ["focus-sync/1"]
        return try NIOSSLContext(configuration: tls)
    }
}
