import FocusWire
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Says to people why a connection cannot be made, or why it ended.
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
            return "the TLS handshake failed: \(text(handshake: cause))"
        case let error as FrameError:
            return "\(error.message) Does the server expect TLS?"
        default:
            return "\(error)"
        }
    }

    /// BoringSSL names its reasons only in its texts.
    private static func text(handshake cause: some Error) -> String {
        let text = "\(cause)"
        if text.contains("WRONG_VERSION_NUMBER") { return "the server speaks plaintext" }
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return "the server's certificate is not trusted" }
        return text
    }
}
