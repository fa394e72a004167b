import Foundation

/// A port on loopback that stays reserved while the test's server is down: the system does not give it to anyone who
/// asks for a free port, and connections to it are refused.
public final class ReservedPort: Sendable {
    public let number: Int
    private let descriptor: Int32

    /// Binds the port without listening. With SO_REUSEADDR on both sides (socket(7)) a server can still bind it.
    public init() throws {
        let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(bound, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(bound, $0, length) == 0 && getsockname(bound, $0, &length) == 0
            }
        }
        guard isBound else {
            let reason = String(cString: strerror(errno))
            close(bound)
            throw NeverHappened(description: "no free port: \(reason)")
        }
        descriptor = bound
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
