import FocusCore
import NIOCore

/// Decides who a connection acts as (rule A1). The server has `TokenVerifier`; the simulation has a check of its own,
/// which uses no cryptography and no second thread.
protocol TokenCheck: Sendable {
    /// The identity that the token gives; nil when the token is bad, whatever is wrong with it. The future never fails.
    /// - Parameter now: the time by which the token must be valid.
    func identity(of token: String, now: Timestamp, on eventLoop: any EventLoop) -> EventLoopFuture<Identity?>
}

extension TokenVerifier: TokenCheck {
    func identity(of token: String, now: Timestamp, on eventLoop: any EventLoop) -> EventLoopFuture<Identity?> {
        eventLoop.makeFutureWithTask { await identity(of: token, now: now) }
    }
}
