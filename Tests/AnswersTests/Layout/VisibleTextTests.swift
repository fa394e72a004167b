import Testing

@testable import Answers

@Suite struct VisibleTextTests {
    @Test("Control characters are written out, everything else stands as it is")
    func controls() {
        #expect(VisibleText.of("a\u{1B}[2Jb\u{7F}\u{9B}\n") == #"a\u001b[2Jb\u007f\u009b\u000a"#)
        #expect(VisibleText.of("“ä” \u{A0}→ 🏃‍♀️") == "“ä” \u{A0}→ 🏃‍♀️")
        #expect(VisibleText.of("a\nb\r", keeping: "\n") == "a\nb\\u000d")
    }

    @Test("A table's columns are as wide as what is shown")
    func table() {
        var table = Table(["TITLE", "APP"])
        table.add(["\u{1B}", "x"])
        #expect(table.lines == ["TITLE   APP", #"\u001b  x"#])
    }
}
