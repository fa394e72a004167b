import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Why a connection cannot be made or ended, for people.
enum ConnectionProblem {
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            return error.connectionErrors.first.map { text($0.error) } ?? "\(error.host) has no address"
        case let error as IOError:
            return String(cString: strerror(error.errnoCode))
        case is ChannelError:
            return "no answer in time"
        case NIOSSLError.handshakeFailed(let cause):
            return "the TLS handshake failed (\(cause)); does the server speak plaintext, or is its certificate not trusted?"
        default:
            return "\(error)"
        }
    }
}
