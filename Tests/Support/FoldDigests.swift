import FocusCore
import Foundation

/// Digests of what the current fold makes of a history, one for each collection: every row with its version, its value
/// and its memo.
///
/// `Schema/samples/folds.txt` pins them. A line has the fold version, the history, the collection and the digest. If
/// bytes changed without a new `FocusCore.foldVersion`, a server would keep rows that no fold makes; the tests that
/// compare digests fail first.
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

    /// The difference between `folds.txt` and the current fold for a history: lines to add, and pinned lines that the
    /// fold does not make. Empty if the fold makes the same bytes as ever.
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

    private static let file = Checkout.file("Schema/samples/folds.txt")
}
