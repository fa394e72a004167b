import Foundation

/// The address of a socket of this machine (unix(7)).
struct UnixAddress {
    private var address = sockaddr_un()
    private let length: socklen_t

    /// Nil for a name that is neither an absolute path nor abstract, and for one that has no room.
    /// - Parameter name: a path, or a name in the abstract namespace with “@” before it.
    init?(_ name: String) {
        var bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        guard isAbstract || bytes.first == UInt8(ascii: "/"), bytes.count > 1, !bytes.contains(0) else { return nil }
        // A path ends with a zero; an abstract name begins with one and ends where the length says.
        if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        length = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + bytes.count)
    }

    func withPointer<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
