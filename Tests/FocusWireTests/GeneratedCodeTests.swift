import Foundation
import Testing

@Suite("Generated code")
struct GeneratedCodeTests {
    @Test("Schema, the generated Swift and the catalogue do not drift apart (else run ops/generate)")
    func drift() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [Checkout.path("ops/generate"), "--check"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
