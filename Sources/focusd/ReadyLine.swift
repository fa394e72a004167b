import Foundation
import ServiceLifecycle

/// Says that devices are served. A service, because services start once signals are handled: whoever reads the line may
/// end the program at once (rule G1).
struct ReadyLine: Service {
    let text: String

    func run() async throws {
        // Nobody may be reading; devices are served all the same.
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        try await gracefulShutdown()
    }
}
