import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Support
import Testing

@testable import SyncServer

/// What becomes of a device that connects while a server starts.
@Suite struct TryListeningTests {
    @Test("Who connects while a server finds out whether it could listen is sent away, and not left without anybody")
    func keepsNobody() async throws {
        let port = try ReservedPort()
        let connected = NIOLockedValueBox<[any Channel]>([])
        let isOver = NIOLockedValueBox(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    while !isOver.withLockedValue({ $0 }) {
                        // Nobody listens most of the time.
                        guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port.number).get()
                        else { continue }
                        // As a device does. To one that comes while the listener goes the kernel may say nothing otherwise.
                        channel.writeAndFlush(ByteBuffer(string: "Hello"), promise: nil)
                        connected.withLockedValue { $0.append(channel) }
                    }
                }
            }
            defer { isOver.withLockedValue { $0 = true } }
            let configuration = SyncServerConfiguration(host: "127.0.0.1", port: port.number, security: .plaintext)
            try await awaiting("a hundred connections") {
                do {
                    try await SyncServer.tryListening(configuration)
                } catch SyncServerError.cannotListen {
                    // A program that another test starts holds the listener that is just closed, until it runs.
                }
                return connected.withLockedValue { $0.count } >= 100
            }
        }
        try await awaiting("their end", within: .seconds(20)) {
            connected.withLockedValue { $0.allSatisfy { !$0.isActive } }
        }
    }
}
