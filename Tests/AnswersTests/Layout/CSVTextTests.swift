import Answers
import Testing

@Suite("Comma-separated values") struct CSVTextTests {
    @Test("RFC 4180: a field with a comma, a quote or the end of a line is quoted, and no other")
    func quotes() {
        #expect(CSVText.line(["a", "", "b c"]) == "a,,b c\r\n")
        #expect(CSVText.line(["", ""]) == ",\r\n")
        #expect(CSVText.line(["a\0b", "c"]) == "a\u{FFFD}b,c\r\n")
        #expect(CSVText.line(["a,b", "\"", "x\ny", "\r", "é"]) == "\"a,b\",\"\"\"\",\"x\ny\",\"\r\",é\r\n")
    }

    @Test("Numbers and bytes are fields as texts are, behind what the output holds already")
    func fields() {
        for (number, text) in [(Int64.min, "-9223372036854775808"), (0, "0"), (-10, "-10"), (.max, "9223372036854775807")] {
            var bytes = [UInt8(ascii: ">")]
            CSVText.append(to: &bytes) { line in
                line.add(number)
                line.add { $0.append(contentsOf: #"{"a":1}"#.utf8) }
                line.addPlain { $0.append(UInt8(ascii: "x")) }
                line.add { _ in }
            }
            #expect(
                String(decoding: bytes, as: UTF8.self) == ">\(text),\"{\"\"a\"\":1}\",x,\r\n")
        }
    }
}
