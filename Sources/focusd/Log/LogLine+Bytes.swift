import Glibc
import Logging

extension LogLine {
    /// The line with its end, at most `limit` bytes. What does not fit is left out, and `truncated` says so.
    func bytes(_ layout: LogLayout) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        var isTruncated: Bool
        switch layout {
        case .text:
            line += "\(Self.text(of: time)) \(level.rawValue) [".utf8
            isTruncated = LogText.append(thread, to: &line, limit: Self.keyLimit)
            line += "] ".utf8
            isTruncated = LogText.append(message, to: &line, limit: Self.messageLimit) || isTruncated
        case .json:
            line += #"{"time":"\#(Self.text(of: time))","level":"\#(level.rawValue)","thread":""#.utf8
            isTruncated = LogText.append(thread, to: &line, limit: Self.keyLimit, isQuoted: true)
            line += #"","message":""#.utf8
            isTruncated =
                LogText.append(message, to: &line, limit: Self.messageLimit, isQuoted: true) || isTruncated
            line.append(UInt8(ascii: "\""))
        }
        let end: (whole: String, cut: String) =
            layout == .text ? ("\n", " truncated=true\n") : ("}\n", ",\"truncated\":true}\n")
        for (key, value) in fields {
            let (field, isCut) = layout == .text ? Self.textField(key, value) : Self.jsonField(key, value)
            guard line.count + field.count + end.cut.utf8.count <= Self.limit else {
                isTruncated = true
                continue
            }
            line += field
            isTruncated = isTruncated || isCut
        }
        return line + (isTruncated ? end.cut : end.whole).utf8
    }

    private static func textField(_ key: String, _ value: Value) -> (bytes: [UInt8], isCut: Bool) {
        var field = Array(" ".utf8)
        var isCut = LogText.append(key, to: &field, limit: keyLimit)
        field.append(UInt8(ascii: "="))
        switch value {
        case .literal(let text): field += text.utf8
        case .text(let text) where LogText.isWord(text) && text.utf8.count <= valueLimit: field += text.utf8
        case .text(let text): isCut = quote(text, valueLimit, to: &field) || isCut
        }
        return (field, isCut)
    }

    private static func jsonField(_ key: String, _ value: Value) -> (bytes: [UInt8], isCut: Bool) {
        var field = Array(",".utf8)
        var isCut = quote(key, keyLimit, to: &field)
        field.append(UInt8(ascii: ":"))
        switch value {
        case .literal(let text): field += text.utf8
        case .text(let text): isCut = quote(text, valueLimit, to: &field) || isCut
        }
        return (field, isCut)
    }

    private static func quote(_ text: String, _ limit: Int, to field: inout [UInt8]) -> Bool {
        field.append(UInt8(ascii: "\""))
        let isCut = LogText.append(text, to: &field, limit: limit, isQuoted: true)
        field.append(UInt8(ascii: "\""))
        return isCut
    }

    /// UTC, as RFC 3339 writes it, with microseconds.
    private static func text(of time: Int64) -> String {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000)
        var (moment, parts) = (time_t(seconds), tm())
        gmtime_r(&moment, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return digits(parts.tm_year + 1_900, 4) + "-" + digits(parts.tm_mon + 1, 2) + "-" + digits(parts.tm_mday, 2)
            + "T" + digits(parts.tm_hour, 2) + ":" + digits(parts.tm_min, 2) + ":" + digits(parts.tm_sec, 2)
            + "." + digits(Int32(clamping: rest), 6) + "Z"
    }
}
