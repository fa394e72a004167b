import Foundation
import Support
import Testing

@testable import Answers

/// The text that `focusctl rules` prints.
@Suite struct RuleTextTests {
    @Test("The embedded rules are those of Schema/rules: run ops/generate after a change")
    func isGenerated() throws {
        let (status, errors) = try Checkout.run(["python3", "ops/generate-rules.py", "--check"])
        #expect(status == 0, "\(errors)")
    }

    @Test("A rule is found by its name, in any case, and by the name of a part of it; no other is")
    func isFound() throws {
        #expect(Rule(named: "P2")?.title == "Exactly once per place")
        #expect(Rule(named: "p10")?.document == .protocol)
        #expect(Rule(named: "N9.4")?.name == "N9")
        for name in ["", "N", "n11", "z9", "p22", ".4"] { #expect(Rule(named: name) == nil, "\(name)") }
    }

    @Test("The list has every rule once, below its section")
    func list() {
        let lines = RuleText.list(Rule.all)
        #expect(lines.first == "domain: Who, what, when")
        #expect(lines.contains("  P10  Restored and copied stores"))
        #expect(lines.filter { $0.hasPrefix("  ") }.count == Rule.all.count)
    }

    @Test("A text is wrapped at words; indents and the rows of tables stay")
    func wraps() {
        #expect(RuleText.wrapped("one two three", 7) == ["one two", "three"])
        #expect(RuleText.wrapped("  one two", 6) == ["  one", "  two"])
        #expect(RuleText.wrapped("| one | two |", 6) == ["| one | two |"])
        #expect(RuleText.wrapped("unbreakable word", 4) == ["unbreakable", "word"])
        #expect(RuleText.wrapped("", 4) == [""])
        #expect(RuleText.wrapped("one two three", nil) == ["one two three"])
    }

    @Test("An object for each rule has its text, line breaks and all")
    func json() throws {
        let rule = try #require(Rule(named: "F3"))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(RuleText.json(rule).utf8)) as? [String: String])
        #expect(object["name"] == "F3" && object["document"] == "domain" && object["section"] == "Focus")
        #expect(object["text"] == rule.text && rule.text.contains("\n"))
    }
}
