import Foundation
import Support
import Testing

@Suite("Generated code")
struct GeneratedCodeTests {
    @Test("Schema, the generated Swift and the catalogue do not drift apart (else run ops/generate)")
    func drift() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [Checkout.file("ops/generate").path, "--check"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
