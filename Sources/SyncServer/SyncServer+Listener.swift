import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The socket on which devices connect.
extension SyncServer {
    /// Keeps the listener until `stop`, and finds out when it closes before: NIO closes it after errors that it does not
    /// know, and nobody can connect from then on.
    func keep(_ channel: any Channel) {
        listener.withLockedValue { $0 = channel }
        let (isStopping, hasLostListener, logger) = (isStopping, hasLostListener, context.logger)
        channel.closeFuture.whenComplete { _ in
            guard !isStopping.withLockedValue({ $0 }) else { return }
            logger.error("the listener closed by itself, and nobody can connect: restart the server")
            hasLostListener.withLockedValue { $0 = true }
        }
    }

    /// Accepts nobody any more. What closing says does not matter to a server that stops: devices that are connected are
    /// to be sent away in any case.
    func closeListener() async {
        do {
            try await listener.withLockedValue { $0.take() }?.close()
        } catch ChannelError.alreadyClosed {
            // It closed by itself, which was said then.
        } catch {
            context.logger.error("the listener was not closed", metadata: ["error": "\(error)"])
        }
    }
}
