import FocusCore
import NIOCore
import NIOPosix

/// Where a client connects, as whom, and how long it tries.
public struct SyncClientConfiguration: Sendable {
    public var server: ServerAddress
    public var security: ConnectionSecurity
    /// A JWT (rule A1). The store belongs to the user, device and scope that it names.
    public var token: String
    /// Gives a new token of the same user, device and scope (rule A2): asked a minute before the one in use ends, and
    /// when the server does not accept it. Nil: the client ends with its token.
    public var newToken: (@Sendable () async throws -> String)?
    /// What kind of device this is, unless the token says.
    public var deviceClass = DeviceClass.phone
    /// Collections to be sent (rule S7); empty: all.
    public var collections: [RowCollection] = []
    /// Connections that may fail in a row, without a Welcome, before waiting calls fail with `unreachable`. Nil: any
    /// number.
    public var maximumAttempts: Int? = 8
    /// How long `append`, `synchronize` and `wait` wait before they fail with `timedOut`.
    public var timeout = Duration.seconds(30)
    public var backoff = ReconnectBackoff()
    /// The device's own clock, which may be wrong: events are stamped with the server's time where that is earlier.
    public var clock: @Sendable () -> Timestamp = { .now }
    /// Runs the connection. The default is shared by the process.
    public var group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    /// Called in order with what happens, on the client's own queue: the client waits for it, and so does the server
    /// in the end. It must not wait for the client.
    public var onUpdate: @Sendable (SyncUpdate) -> Void = { _ in }

    public init(server: ServerAddress = .standard, security: ConnectionSecurity, token: String) {
        self.server = server
        self.security = security
        self.token = token
    }
}
