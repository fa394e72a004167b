import Foundation
import Support
import Testing

/// The Python client checks the vectors of `Schema/samples` with code of its own; `VectorTests` holds them to be what
/// the server's code makes. Missing Python packages are installed.
@Suite("Python client and vectors", .fewAtATime) struct PythonVectorTests {
    private func selftest(_ arguments: [String] = []) async throws -> (exitCode: Int32?, output: String) {
        let child = try ChildProcess(
            Checkout.file("Schema/clients/python/focus-client").path, ["selftest"] + arguments)
        let output = await child.rest()
        return (await child.exitCode(), output)
    }

    @Test("W1, S6, S9, P10: it finds every vector right")
    func right() async throws {
        let (exitCode, output) = try await selftest()
        #expect(exitCode == 0 && output.split(separator: "\n").count == 5, "\(output)")
    }

    @Test(
        "a wrong digit in any kind of vector is told by file",
        arguments: [
            ("frames.txt", "device", 2), ("frames.txt", "server", 2), ("digests.txt", "put", 5),
            ("digests.txt", "digest", 3), ("receipts.txt", "secret", 1), ("receipts.txt", "accepted", 6),
            ("receipts.txt", "hash", 1), ("receipts.txt", "code", 1), ("incarnations.txt", "", 5),
        ])
    func wrong(file: String, kind: String, word: Int) async throws {
        let samples = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: Checkout.file("Schema/samples"), to: samples)
        defer { try? FileManager.default.removeItem(at: samples) }
        let path = samples.appending(path: file)
        var lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let last = try #require(lines.lastIndex { $0.hasPrefix(kind) && !$0.hasPrefix("#") })
        var words = lines[last].components(separatedBy: " ")
        try #require(words.count > word)
        let digit = words[word].popLast()
        words[word].append(digit == "0" ? "1" : "0")
        lines[last] = words.joined(separator: " ")
        try lines.joined(separator: "\n").write(to: path, atomically: true, encoding: .utf8)
        let (exitCode, output) = try await selftest([samples.path])
        let complaints = output.split(separator: "\n").filter { $0.contains(#""wrong""#) }
        #expect(exitCode == 1 && complaints.count == 1, "\(output)")
        #expect(complaints.first?.contains(file) == true, "\(output)")
    }
}
