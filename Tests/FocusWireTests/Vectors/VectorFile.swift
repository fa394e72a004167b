import Foundation
import Support
import Testing

/// A file of test vectors in `Schema/samples`: this package's own code makes it, and an implementation in any language
/// can be checked against it.
struct VectorFile {
    let name: String
    /// The text that the code makes.
    let text: String

    /// Records an issue for each line of the checked-in file that differs. With `FOCUS_WRITE_VECTORS` in the
    /// environment it writes the file first.
    func expectKept() throws {
        let file = Checkout.file("Schema/samples/\(name)")
        if ProcessInfo.processInfo.environment["FOCUS_WRITE_VECTORS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = lines(of: try String(contentsOf: file, encoding: .utf8))
        let made = lines(of: text)
        for (index, (kept, made)) in zip(kept, made).enumerated() where kept != made {
            Issue.record("\(name):\(index + 1) has\n\(kept)\nand the code makes\n\(made)")
        }
        #expect(kept.count == made.count, "\(name); run FOCUS_WRITE_VECTORS=1 ops/test --filter Vectors")
    }

    private func lines(of text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

extension [UInt8] {
    /// Lower-case hexadecimal; `-` when there are no bytes.
    var vectorText: String { isEmpty ? "-" : map { String(format: "%02x", $0) }.joined() }
}

extension String {
    /// The text; `-` when it is empty.
    var vectorText: String { isEmpty ? "-" : self }
}
