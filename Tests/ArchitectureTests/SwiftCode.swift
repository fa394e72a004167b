/// Swift source with comments removed and string literals emptied; line numbers stay. Interpolations in strings are
/// code and stay too.
struct SwiftCode {
    let lines: [String]

    init(_ source: String) {
        var scanner = Scanner(source)
        scanner.code(untilParenthesis: false)
        lines = scanner.text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String(decoding: $0.utf8, as: UTF8.self) }
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var place = 0
        private var kept: [UInt8] = []

        init(_ source: String) { bytes = Array(source.utf8) }

        var text: String { String(decoding: kept, as: UTF8.self) }

        mutating func code(untilParenthesis: Bool) {
            var depth = 0
            while place < bytes.count {
                if has("//") {
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                } else if has("/*") {
                    comment()
                } else if let hashes = stringBegins() {
                    string(hashes: hashes)
                } else {
                    if bytes[place] == UInt8(ascii: "(") { depth += 1 }
                    if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
                    kept.append(bytes[place])
                    place += 1
                    if untilParenthesis, depth < 0 { return }
                }
            }
        }

        /// Swift's block comments nest.
        private mutating func comment() {
            var depth = 0
            repeat {
                if has("/*") {
                    depth += 1
                    place += 2
                } else if has("*/") {
                    depth -= 1
                    place += 2
                } else {
                    skip()
                }
            } while depth > 0 && place < bytes.count
        }

        /// The number of `#` before the opening quote; nil if no string literal begins here.
        private func stringBegins() -> Int? {
            var end = place
            while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
            return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - place : nil
        }

        private mutating func string(hashes: Int) {
            place += hashes
            let quote = has("\"\"\"") ? "\"\"\"" : "\""
            place += quote.utf8.count
            let end = quote + String(repeating: "#", count: hashes)
            let escape = "\\" + String(repeating: "#", count: hashes)
            kept.append(UInt8(ascii: "\""))
            while place < bytes.count, !has(end) {
                if has(escape + "(") {
                    place += escape.utf8.count + 1
                    kept.append(UInt8(ascii: "("))
                    code(untilParenthesis: true)
                } else if has(escape) {
                    place += escape.utf8.count
                    skip()
                } else {
                    skip()
                }
            }
            place += end.utf8.count
            kept.append(UInt8(ascii: "\""))
        }

        private func has(_ text: String) -> Bool { bytes[min(place, bytes.count)...].starts(with: text.utf8) }

        /// Skips one byte but keeps line breaks, so that line numbers stay.
        private mutating func skip() {
            guard place < bytes.count else { return }
            if bytes[place] == UInt8(ascii: "\n") { kept.append(bytes[place]) }
            place += 1
        }
    }
}
