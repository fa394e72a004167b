import FocusSyncClient
import Foundation
import Programs

/// A non-blocking TCP connection, confined to the thread of its `LoadRun`. It uses plain system calls, so that the
/// generator leaves as much of the machine as possible to the server that it measures.
final class LoadSocket {
    let descriptor: Int32
    private var waiting: [UInt8] = []
    private var sent = 0
    /// Bytes sent and received so far.
    private(set) var bytesSent = 0
    private(set) var bytesReceived = 0

    init(to address: ServerAddress) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &found)
        guard status == 0, let target = found else {
            throw CommandFailure("\(address.host) cannot be looked up: \(String(cString: gai_strerror(status))).")
        }
        defer { freeaddrinfo(found) }
        descriptor = socket(target.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure("No socket") }
        // The initialized object is destroyed, which closes the socket.
        guard connect(descriptor, target.pointee.ai_addr, target.pointee.ai_addrlen) == 0 else {
            throw Self.failure("No connection to \(address)")
        }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Self.failure("No socket that does not wait") }
    }

    deinit { close(descriptor) }

    /// Whether bytes wait until the socket has room.
    var isBlocked: Bool { sent < waiting.count }

    func send(_ bytes: [UInt8]) throws {
        guard !isBlocked else {
            waiting.append(contentsOf: bytes)
            return
        }
        waiting = bytes
        sent = 0
        try flush()
    }

    /// Writes as much as the socket accepts.
    func flush() throws {
        while isBlocked {
            let count = waiting.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
                bytesSent += count
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                throw Self.failure("The server does not take events")
            }
        }
    }

    /// Reads once. Returns 0 when there is nothing.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                bytesReceived += count
                return count
            }
            if count == 0 { throw CommandFailure("The server closed a connection.") }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { throw Self.failure("A connection broke") }
        }
    }

    private static func failure(_ what: String) -> CommandFailure {
        CommandFailure("\(what): \(String(cString: strerror(errno))).")
    }
}
