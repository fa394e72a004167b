import FocusCore
import NIOCore
import NIOPosix

/// Where a client connects, as whom, and how long it tries.
public struct SyncClientConfiguration: Sendable {
    public var server: ServerAddress
    /// TLS, or plaintext on loopback.
    public var security: ConnectionSecurity
    /// A JWT (rule A1). The store belongs to the user, device and scope that it names.
    public var token: String
    /// Gives a new token for the same user, device and scope (rule A2). It is called a minute before the one in use
    /// ends, and when the server refuses that. Nil: the client stops when its token ends.
    public var newToken: (@Sendable () async throws -> String)?
    /// What kind of device this is; a class in the token takes precedence.
    public var deviceClass = DeviceClass.phone
    /// The collections that the server sends (rule S7); empty: all.
    public var collections: [RowCollection] = []
    /// How many attempts to connect may fail in a row, without a Welcome, before the client stops and waiting calls fail
    /// with `unreachable`. Nil: any number; waiting calls fail with `timedOut`.
    public var maximumAttempts: Int?
    /// How long `append`, `synchronize` and `wait` wait before they fail with `timedOut`.
    public var timeout = Duration.seconds(30)
    /// How long the client waits between attempts to connect, where the server names no bounds (rule L5).
    public var backoff = ReconnectBackoff()
    /// The device's own clock, which may be wrong: events are stamped with the server's time where that is earlier.
    public var clock: @Sendable () -> Timestamp = { .now }
    /// The event loops that run the connection. The default is shared by the process.
    public var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    /// Called with each update, in order, on the client's own queue. The client waits until it returns, and in the end
    /// so does the server; so it must not wait for the client.
    public var onUpdate: @Sendable (SyncUpdate) -> Void = { _ in }

    public init(server: ServerAddress = .standard, security: ConnectionSecurity, token: String) {
        self.server = server
        self.security = security
        self.token = token
    }
}
