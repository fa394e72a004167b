import Foundation
import Support
import Testing

/// Each rule has one name in the whole package. The documents of `Schema/rules` define the rules, the code that decides
/// by a rule names it, and the test that proves a rule begins with its name.
@Suite("Rules") struct RuleTests {
    /// Released migrations are never edited. Comments in these files call A1 by its former name C1, and P1 to P3 by D1
    /// to D3. A later migration replaces the comments that they leave in the database.
    private static let earlierNames = ["0002_read_model.sql", "0005_preferences.sql"]

    @Test("Every rule is defined once, in one of the two documents")
    func eachIsDefinedOnce() throws {
        let defined = try Self.defined()
        #expect(defined.count > 80)
        for (name, count) in Dictionary(grouping: defined, by: { $0 }).mapValues(\.count) where count > 1 {
            Issue.record("\(name) is defined \(count) times")
        }
    }

    @Test("Every rule is proved by a test that begins with its name, or by a case of the conformance suite")
    func eachIsProved() throws {
        let proved = Set(try Self.tests().flatMap(\.rules) + Self.cases())
        for name in try Self.defined() where !proved.contains(name) {
            Issue.record("no test is named \"\(name): …\"")
        }
    }

    @Test("Every rule is named where code decides by it")
    func eachIsDecided() throws {
        let files = try Self.files(in: "Sources") { path in
            // The cases of the conformance suite are tests, and generated code only repeats a document.
            let isSuite = path.contains("/Conformance/") || path.contains("/focus-conformance/")
            return path.hasSuffix(".swift") && !path.contains("/Generated/") && !isSuite
        }
        let decided = try Set(files.flatMap { try Self.mentions(in: $0).map(\.name) })
        for name in try Self.defined() where !decided.contains(name) {
            Issue.record("nothing in Sources names \(name)")
        }
    }

    @Test("Whatever names a rule names one that there is", arguments: ["Sources", "Tests", "Schema", "ops", ".github"])
    func eachMentionIsDefined(folder: String) throws {
        let defined = Set(try Self.defined())
        let ends = [".swift", ".proto", ".sql", ".md", ".py", ".pml"]
        let files = try Self.files(in: folder) { path in
            ends.contains { path.hasSuffix($0) } && !Self.earlierNames.contains { path.hasSuffix($0) }
        }
        var count = 0
        for file in files + (folder == "Schema" ? [Checkout.file("README.md")] : []) {
            for mention in try Self.mentions(in: file) {
                count += 1
                if !defined.contains(mention.name) {
                    Issue.record("\(file.lastPathComponent):\(mention.line) names \(mention.name)")
                }
            }
        }
        // An empty scan would pass without having checked anything.
        #expect(count > 5)
    }

    // MARK: Definitions, mentions and tests

    /// The names that begin a list item: `- **P2 Exactly once per place.** …`.
    private static func defined() throws -> [String] {
        try ["domain.md", "protocol.md"].flatMap { file in
            let text = try String(contentsOf: Checkout.file("Schema/rules/\(file)"), encoding: .utf8)
            return text.matches(of: #/^- \*\*([A-Z]\d+) /#.anchorsMatchLineEndings()).map { String($0.1) }
        }
    }

    private struct Mention {
        var name: String
        var line: Int
    }

    /// The rules that a file names; in Swift, only comments and strings count. A range (`S1 to S3`) names its two ends.
    private static func mentions(in file: URL) throws -> [Mention] {
        let isSwift = file.pathExtension == "swift"
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { index, line -> [Mention] in
            let texts = isSwift ? line.matches(of: #/\/\/.*|"(?:[^"\\]|\\.)*"/#).map(\.output) : [line]
            return texts.flatMap { text in
                // Excludes escapes (`\u{E9}`), parts of identifiers and parts of dates (`2026-W47`).
                text.matches(of: #/(?:^|[^\w{\-])([A-Z][1-9]\d?)(?!\w)/#).map {
                    Mention(name: String($0.1), line: index + 1)
                }
            }
        }
    }

    private struct NamedTest {
        var file: String
        var name: String
        var rules: [String]
    }

    /// The rules of the conformance suite's cases, which `ConformanceTests` runs against our own server.
    private static func cases() throws -> [String] {
        let cases = try files(in: "Sources/Conformance/Cases") { $0.hasSuffix(".swift") }.flatMap { file -> [String] in
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.matches(of: #/ConformanceCase\(\s*"([A-Z]\d+)"/#).map { String($0.1) }
        }
        #expect(cases.count > 80)
        return cases
    }

    /// Every test, with the rules that its title begins with: `N9.4, E6: …` or `L1–L4: …`.
    private static func tests() throws -> [NamedTest] {
        let tests = try files(in: "Tests") { $0.hasSuffix(".swift") }.flatMap { file -> [NamedTest] in
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/).map { match in
                NamedTest(file: file.lastPathComponent, name: String(match.1), rules: rules(in: match.1))
            }
        }
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

    private static func files(in folder: String, where isWanted: (String) -> Bool) throws -> [URL] {
        let url = Checkout.file(folder)
        let walker = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
        return walker.compactMap { $0 as? URL }.filter { isWanted($0.path) }
    }
}
