import Foundation
import ServiceLifecycle

/// Prints the line that says that devices are served. It is a service, because services start once signals are handled:
/// a script that reads the line may end the program at once (rule G1).
struct ReadyLine: Service {
    let text: String

    func run() async throws {
        // Nobody may be reading; devices are served all the same.
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        try await gracefulShutdown()
    }
}
