import FocusCore

/// Where the server listens, how it is secured, and its bounds.
public struct SyncServerConfiguration: Sendable {
    /// A host name or an address; plaintext allows 127.0.0.1, ::1 and localhost alone.
    public var host: String
    /// 0 means any free port.
    public var port: Int
    public var security: Security
    public var limits = SessionLimits()
    /// Bytes of appends that were read and not yet answered, over all sessions. The less of it is free, the sooner the
    /// server stops reading from users who send more (`InboundBudget`).
    public var inboundBytes = 64 * 1024 * 1024
    /// Bytes of frames that have not come whole, over all connections (`PartialFrames`).
    public var partialFrameBytes = 64 * 1024 * 1024
    /// Bytes of users' states in memory, over all lanes. Past this many those are dropped who were not used for long, and
    /// loaded again when they are needed.
    public var cacheBytes = 1 << 30
    /// Bytes that one user's state may take (rule Q4).
    public var userBytes = 64 << 20
    public var connections = ConnectionLimits()
    /// Threads that serve connections. With more than one, rule P8 may take either of two connections that come at the
    /// same moment for the newer one (`ConnectionRegistry.makeID`).
    public var eventLoops = 1
    /// Makes and checks receipts (rule S6); every server of the log has the same key. Nil: receipts are neither given
    /// nor accepted, and events that devices re-offer are judged as if they came for the first time.
    public var receiptKey: ReceiptKey?
    /// The time between two users whom the background verifier compares with the read model (`BackgroundVerifier`).
    /// Nil: it does not run.
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

        /// Reads the files. Throws `SyncServerError.unusableCertificate`.
        public func check() throws(SyncServerError) { _ = try ServerCertificate(self) }
    }
}
