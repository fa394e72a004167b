import Foundation
import ServiceLifecycle

/// Prints the line that says that devices are served. It is a service, because services start once signals are handled:
/// a script that reads the line may end the program at once (rule G1).
struct ReadyLine: Service {
    let text: String

    func run() async throws {
        // A line that cannot be written is dropped: devices are served whether somebody reads it or not.
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        try await gracefulShutdown()
    }
}
