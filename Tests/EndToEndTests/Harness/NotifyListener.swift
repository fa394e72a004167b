import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import focusd

/// Plays systemd: receives what a service tells it (sd_notify(3)).
final class NotifyListener: Sendable {
    /// What the service is given as NOTIFY_SOCKET.
    let name: String
    private let descriptor: Int32
    private let received = NIOLockedValueBox<[String]>([])

    init(_ name: String) throws {
        self.name = name
        let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = socket(AF_UNIX, Int32(bitPattern: kind), 0)
        let address = try #require(UnixAddress(name))
        let code = address.withPointer { [descriptor] in bind(descriptor, $0, $1) }
        try #require(code == 0, "\(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// All that was told so far, in its order.
    var messages: [String] {
        received.withLockedValue { received in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while case let count = recv(descriptor, &bytes, bytes.count, 0), count >= 0 {
                received.append(String(decoding: bytes[..<count], as: UTF8.self))
            }
            return received
        }
    }

    /// What was told beside signs of life.
    var news: [String] { messages.filter { $0 != "WATCHDOG=1" } }
}
