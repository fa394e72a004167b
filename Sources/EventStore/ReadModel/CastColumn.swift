import FocusCore
import Foundation
import PostgresClient

/// A type that PostgreSQL's casts make of text, in the binary form of its `…_recv`.
enum CastColumn: Sendable {
    case uuid
    /// `text[]`, of words between spaces.
    case words
    /// `time[]`, of `hh:mm` between spaces.
    case times
    case date
    case json

    /// The value in binary form; NULL where the cast would fail, which it does not, as this program makes these texts.
    func value(_ text: String) -> PostgresValue {
        switch self {
        case .uuid: UUID(uuidString: text).map { .uuid($0) } ?? .null
        case .words: .textArray(Self.words(text))
        case .times: .bytea(Self.times(Self.words(text)))
        // `jsonb_recv`: the version of its form, then text.
        case .json: .bytea([1] + text.utf8)
        case .date: Self.date(text).map { .int4($0) } ?? .null
        }
    }

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// The date as days since 2000-01-01.
    private static func date(_ text: String) -> Int32? {
        let parts = text.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        let days = CivilDate(year: parts[0], month: parts[1], day: parts[2]).daysSince1970
        return Int32(exactly: days - CivilDate(year: 2_000, month: 1, day: 1).daysSince1970)
    }

    /// The times in the form of `array_recv` of `time`: dimensions, no NULLs, the type, length and lower bound; then
    /// each as microseconds after midnight.
    private static func times(_ words: [String]) -> [UInt8] {
        let timeType: Int32 = 1_083
        var bytes: [UInt8] = []
        for number in [words.isEmpty ? 0 : 1, 0, timeType] { bytes += bigEndian(number) }
        guard !words.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: words.count)) + bigEndian(Int32(1))
        for word in words {
            let parts = word.split(separator: ":").compactMap { Int64($0) }
            let minutes = parts.count == 2 ? parts[0] * 60 + parts[1] : 0
            bytes += bigEndian(Int32(8)) + bigEndian(minutes * 60_000_000)
        }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

extension RowTable {
    /// The columns in the order of `TableStatements.copy`.
    func copyColumns(_ partition: Partition) -> [CopyColumn] {
        let casts = collection.statements.casts
        return parameters(partition).enumerated().map { index, value in
            if index == 0 { return .all(value) }
            guard let cast = casts[index + 1], case .textArray(let texts) = value else { return .elements(value) }
            return .values(texts.map { $0.map(cast.value) ?? .null })
        }
    }
}
