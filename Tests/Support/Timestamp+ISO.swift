import FocusCore
import Foundation

extension Timestamp {
    /// Parses ISO 8601 such as `2026-03-29T01:00:00Z`.
    public init(iso text: String) throws {
        let date = try Date(text, strategy: .iso8601)
        self.init(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
    }

    public var iso: String {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000).formatted(.iso8601)
    }
}
