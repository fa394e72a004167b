import FocusCore
import NIOCore

/// Tells who a connection acts as (rule A1). `TokenVerifier` is the one there is; the simulation needs no cryptography,
/// and no thread but its own.
protocol TokenCheck: Sendable {
    /// Nil: the token is bad, whatever is wrong with it. Never fails.
    func identity(of token: String, now: Timestamp, on eventLoop: any EventLoop) -> EventLoopFuture<Identity?>
}

extension TokenVerifier: TokenCheck {
    func identity(of token: String, now: Timestamp, on eventLoop: any EventLoop) -> EventLoopFuture<Identity?> {
        eventLoop.makeFutureWithTask { await identity(of: token, now: now) }
    }
}
