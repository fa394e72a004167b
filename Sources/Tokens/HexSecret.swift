import Foundation

/// A secret in a file: hex digits, so that an operator can copy it.
public enum HexSecret {
    /// The bytes of at least 64 hex digits, with white space around them or not; nil when the text is anything else.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.trimmingCharacters(in: .whitespacesAndNewlines).map { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count >= 64, digits.count.isMultiple(of: 2) else { return nil }
        let values = digits.compactMap { $0.map(UInt8.init) }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
