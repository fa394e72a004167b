import Foundation

/// Where systemd hears from a service of `Type=notify`: a datagram socket, to which variables are sent, one a line
/// (sd_notify(3)).
struct NotifySocket: Hashable, Sendable {
    /// Seconds that a datagram may wait for room. systemd takes them at once.
    private static let patience = 5

    /// A path, or a name in Linux's abstract namespace with “@” before it.
    let name: String

    /// Throws `NotifySocketError` when the datagram did not go out.
    func send(_ text: String) throws(NotifySocketError) {
        guard let address = UnixAddress(name) else { throw NotifySocketError(name, "that is no name of a socket") }
        let descriptor = socket(AF_UNIX, Int32(bitPattern: SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw NotifySocketError(name, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        let sent = address.withPointer { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
        guard sent == bytes.count else { throw NotifySocketError(name, String(cString: strerror(errno))) }
    }
}

/// systemd could not be told something.
struct NotifySocketError: Error, CustomStringConvertible {
    let description: String
    init(_ name: String, _ reason: String) { description = "\(name): \(reason)" }
}
