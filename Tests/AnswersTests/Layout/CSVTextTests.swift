import Answers
import Testing

@Suite("Comma-separated values") struct CSVTextTests {
    @Test("RFC 4180: a field with a comma, a quote or the end of a line is quoted, and no other")
    func quotes() {
        #expect(CSVText.line(["a", "", "b c"]) == "a,,b c\r\n")
        #expect(CSVText.line(["", ""]) == ",\r\n")
        #expect(CSVText.line(["a,b", "\"", "x\ny", "\r", "é"]) == "\"a,b\",\"\"\"\",\"x\ny\",\"\r\",é\r\n")
    }

    @Test("Numbers and bytes are fields as texts are")
    func fields() {
        var line = CSVText()
        line.add(Int64.min)
        line.add([UInt8](#"{"a":1}"#.utf8))
        line.add { $0.append(UInt8(ascii: "x")) }
        var bytes = [UInt8(ascii: ">")]
        line.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == ">-9223372036854775808,\"{\"\"a\"\":1}\",x\r\n")
    }
}
