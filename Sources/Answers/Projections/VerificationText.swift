import EventStore
import FocusCore
import Foundation

/// Where the read model differs from what a user's events make, for people and for scripts.
package enum VerificationText {
    /// How many bytes of a memo people are shown.
    private static let longestMemo = 24

    package static func lines(_ found: UserVerification) -> [String] {
        let head = "user \(found.user), shown at version \(found.version) by generation \(found.generation):"
        switch found.verdict {
        case .equal(let rows): return ["\(head) \(rows) rows are equal"]
        case .otherFold: return ["\(head) filled by another fold"]
        case .unfoldable(let version, let reason):
            return ["\(head) the events cannot be folded beyond version \(version): \(reason)"]
        case .different(let difference):
            var lines = ["\(head) \(difference.rowCount) rows differ"]
            if let version = difference.version { lines.append("  \(text(version))") }
            lines += difference.unknownRows.map {
                "  \($0.collection.rawValue) has a row whose app is none: \($0.app) \($0.key)"
            }
            if difference.digestsDiffer { lines.append("  the digest sums beside the rows are not those of the rows") }
            for row in difference.rows { lines += Self.lines(row) }
            let more = difference.rowCount - difference.rows.count
            return more > 0 ? lines + ["  and \(more) more rows"] : lines
        }
    }

    private static func text(_ version: VersionDifference) -> String {
        switch version {
        case .lacks(let version): "lacks event \(version), which the checkpoint claims to show"
        case .exceedsLog(let last): "shows more events than the log has, which ends at event \(last)"
        }
    }

    private static func lines(_ row: RowDifference) -> [String] {
        let place = [row.key.collection.rawValue, row.key.app?.rawValue ?? "", row.key.key].filter { !$0.isEmpty }
        let parts = RowPart.allCases.filter { row.parts.contains($0) }
        let what = row.kind == .changed ? " in \(parts.map(\.rawValue).joined(separator: ", "))" : ""
        let since = row.since.map { "since event \($0)" } ?? "never made by any event"
        let parted = row.partedAt.map { "right until event \($0)" } ?? "never right"
        return [
            "  \(row.kind.rawValue) \(place.joined(separator: " "))\(what)",
            "    events make:  \(text(row.expected, row.key.collection, parts)) (\(since))",
            "    read model:   \(text(row.shown, row.key.collection, parts)) (\(parted))",
        ]
    }

    private static func text(_ row: Row?, _ collection: RowCollection, _ parts: [RowPart]) -> String {
        guard let row else { return "no row" }
        return parts.map { part in
            switch part {
            case .version: return "version \(row.version)"
            case .deleted: return row.isDeleted ? "deleted" : "not deleted"
            case .value: return "value \(row.value.isEmpty ? "none" : RowText.summary(collection, row.value))"
            case .memo:
                let cut = row.memo.count > longestMemo ? "…" : ""
                return "memo of \(row.memo.count) bytes \(hex(row.memo.prefix(longestMemo)))\(cut)"
            }
        }.joined(separator: ", ")
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
