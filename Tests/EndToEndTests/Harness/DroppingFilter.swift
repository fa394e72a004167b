import Foundation
import NIOCore

/// A filter of the Linux kernel's (socket(7), `SO_ATTACH_FILTER`) that drops each packet for a socket before its
/// protocol sees it: the other end hears nothing any more, as from a host that vanished.
enum DroppingFilter {
    /// `struct sock_filter` of linux/filter.h.
    private struct Instruction {
        /// `BPF_RET | BPF_K`: accept so many bytes of the packet.
        var code: UInt16 = 0x06
        var jumpIfTrue: UInt8 = 0
        var jumpIfFalse: UInt8 = 0
        var bytes: UInt32 = 0
    }

    /// `struct sock_fprog` of linux/filter.h. The kernel copies what it points to.
    private struct Program: @unchecked Sendable {
        var count: UInt16 = 1
        var instructions: UnsafeMutablePointer<Instruction>
    }

    static func attach(to socket: any SocketOptionProvider) async throws {
        let instruction = UnsafeMutablePointer<Instruction>.allocate(capacity: 1)
        instruction.initialize(to: Instruction())
        defer { instruction.deallocate() }
        try await socket.unsafeSetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_ATTACH_FILTER),
            value: Program(instructions: instruction)
        ).get()
    }
}
