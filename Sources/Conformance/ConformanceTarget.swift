import FocusCore

/// The server that is judged, and what its operator lets the suite do.
public struct ConformanceTarget: Sendable {
    public struct Address: Hashable, Sendable {
        public var host: String
        public var port: Int
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    public enum Security: Hashable, Sendable {
        case plaintext
        /// - Parameter trustFile: PEM file of the certificates to trust; nil: the system's.
        case tls(trustFile: String?)
    }

    /// The server that `commands` hurt.
    public var server: Address
    public var security: Security
    /// Makes tokens that the server accepts, or with `isForged` the same tokens, signed with another key.
    public var token: @Sendable (TokenRequest) async throws -> String
    /// Other servers on the same log. The devices that cases play are spread over all servers.
    public var others: [Address] = []
    /// The operator's commands; each returns when it is done.
    public var commands: [ConformanceNeed: @Sendable () async throws -> Void] = [:]
    /// How long an answer that must come at once may take, in seconds: far longer than a loaded machine needs.
    public var patienceSeconds = 60.0

    public init(
        server: Address, security: Security, token: @escaping @Sendable (TokenRequest) async throws -> String
    ) {
        self.server = server
        self.security = security
        self.token = token
    }

    func has(_ need: ConformanceNeed) -> Bool {
        need == .secondServer ? !others.isEmpty : commands[need] != nil
    }
}

/// The contents of a token (rule A1).
public struct TokenRequest: Sendable {
    public let user: UserID
    public let device: DeviceID
    public let scope: Scope
    /// The token's lifetime from now on, in seconds; negative: it has expired.
    public let seconds: Double
    public let isForged: Bool
}
