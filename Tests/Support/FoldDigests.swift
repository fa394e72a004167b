import FocusCore
import Foundation

/// What this fold makes of a history, collection by collection: every row with its version, its value and what the fold
/// remembers beside it.
///
/// `Schema/samples/folds.txt` pins them. A line: version of the fold, history, collection, digest. Bytes that change
/// without a new `FocusCore.foldVersion` leave servers with rows that no fold makes, so they fail a test first.
public struct FoldDigests {
    private var sums: [RowCollection: UInt128] = [:]

    public init() {}

    public mutating func add(_ state: UserState) {
        for key in state.rowKeys {
            guard let row = state.row(key) else { continue }
            var bytes: [UInt8] = row.isDeleted ? [1] : [0]
            withUnsafeBytes(of: row.version.rawValue.bigEndian) { bytes += Array($0) }
            for part in [row.value, row.memo] {
                withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes += Array($0) }
                bytes += part
            }
            sums[key.collection, default: 0] &+= RowHash(key, value: bytes).value
        }
    }

    /// How `folds.txt` and this fold differ over a history: lines to be added, and what is there and is not made. Empty:
    /// the bytes are those that this version of the fold has always made.
    public func differences(over history: String) throws -> [String] {
        let prefix = "\(FocusCore.foldVersion) \(history) "
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let pinned = Set(text.split(separator: "\n").filter { $0.hasPrefix(prefix) }.map(String.init))
        let made = Set(lines(history))
        return made.subtracting(pinned).sorted() + pinned.subtracting(made).sorted().map { "not made: \($0)" }
    }

    private func lines(_ history: String) -> [String] {
        sums.map { collection, sum in
            let digits = String(sum, radix: 16)
            let digest = String(repeating: "0", count: 32 - digits.count) + digits
            return "\(FocusCore.foldVersion) \(history) \(collection.rawValue) \(digest)"
        }.sorted()
    }

    public static let advice =
        "The fold's bytes are not those of its version: raise FocusCore.foldVersion, then add to Schema/samples/folds.txt"

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Schema/samples/folds.txt")
}
