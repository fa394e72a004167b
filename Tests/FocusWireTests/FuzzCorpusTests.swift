import Foundation
import Support
import Testing

/// The corpus is made from samples that other tests hold to be complete, so every new message or event is in it.
@Suite("Fuzz corpus")
struct FuzzCorpusTests {
    @Test("what ops/fuzz starts from is what the samples say", arguments: FuzzCorpus.targets)
    func drift(_ target: String) throws {
        let path = Checkout.file("ops/fuzz.d/corpus/\(target).txt").path
        let text = try FuzzCorpus.text(target)
        if ProcessInfo.processInfo.environment["FOCUS_WRITE_CORPUS"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOfFile: path, encoding: .utf8)
        #expect(kept == text, "run: FOCUS_WRITE_CORPUS=1 ops/test --filter FuzzCorpus, and commit \(path)")
    }
}
