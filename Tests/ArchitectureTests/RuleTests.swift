import Foundation
import Testing

/// Finds the proof of each rule: a test whose name begins with the rule's.
@Suite("Rules") struct RuleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("Every rule of the domain has a test that names it")
    func domainIsProved() throws {
        let proved = try proved()
        for name in RuleNames.domain { #expect(proved[Rule(.domain, name)] != nil, "no test is named \"\(name): …\"") }
    }

    @Test("Every rule of the protocol has a test that names it, or is known to have none yet")
    func protocolIsProved() throws {
        let proved = try proved()
        for name in RuleNames.wire where !RuleNames.unproven.contains(name) {
            #expect(proved[Rule(.wire, name)] != nil, "no test of the protocol is named \"\(name): …\"")
        }
        for name in RuleNames.unproven {
            let test = proved[Rule(.wire, name)]?.first
            #expect(test == nil, "\(name) has a test now: take it off RuleNames.unproven")
        }
    }

    @Test("Tests name no rule that neither document has")
    func namesAreKnown() throws {
        for test in try tests() {
            for name in test.rules {
                #expect(Rule(name, in: test.file) != nil, "\(test.file): \"\(test.name)\": there is no rule \(name)")
            }
        }
    }

    @Test("The lists are the documents'")
    func listsAreComplete() throws {
        let domain = try String(contentsOf: Self.rules.appendingPathComponent("domain.md"), encoding: .utf8)
        #expect(Set(domain.matches(of: /\*\*([A-Z]\d+)\b/).map { String($0.1) }) == Set(RuleNames.domain))
        let text = try String(contentsOf: Self.rules.appendingPathComponent("protocol.md"), encoding: .utf8)
        let rules = try #require(text.components(separatedBy: "## Rules").last?.components(separatedBy: "\n## ").first)
        let found = rules.matches(of: #/(?:^|\s)([WAPSVFGMQZ]\d+)\s/#.anchorsMatchLineEndings()).map { String($0.1) }
        #expect(Set(found) == Set(RuleNames.wire))
    }

    private static let rules = root.appendingPathComponent("Schema/rules")

    private struct NamedTest {
        var file: String
        var name: String
        var rules: [String]
    }

    private func proved() throws -> [Rule: [String]] {
        var proved: [Rule: [String]] = [:]
        for test in try tests() {
            for rule in test.rules.compactMap({ Rule($0, in: test.file) }) {
                proved[rule, default: []].append(test.name)
            }
        }
        return proved
    }

    /// Every test that begins with names of rules: `N9.4, E6: …` or `F1–F4: …`.
    private func tests() throws -> [NamedTest] {
        let folder = Self.root.appendingPathComponent("Tests")
        let walker = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let files = walker.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        let tests = try files.flatMap { url -> [NamedTest] in
            let file = String(url.path.dropFirst(folder.path.count + 1))
            let text = try String(contentsOf: url, encoding: .utf8)
            return text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/).map { match in
                NamedTest(file: file, name: String(match.1), rules: Self.rules(in: match.1))
            }
        }
        // A scan that finds nothing proves nothing.
        #expect(tests.count > 500)
        return tests
    }

    private static func rules(in name: Substring) -> [String] {
        guard let head = name.firstMatch(of: #/^((?:[A-Z]\d+(?:\.\d+)?(?:–[A-Z]\d+)?(?:,\s)?)+):\s/#)?.1 else {
            return []
        }
        return head.matches(of: /([A-Z])(\d+)(?:\.\d+)?(?:–[A-Z](\d+))?/).flatMap { match -> [String] in
            guard let first = Int(match.2), let last = Int(match.3 ?? match.2), first <= last else { return [] }
            return (first...last).map { "\(match.1)\($0)" }
        }
    }
}
