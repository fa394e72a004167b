import Foundation
import Support
import Testing

/// `Traps.txt`, beside this file, lists every place where a module that takes data from outside can end the process,
/// with the reason why no data reaches it. A place that is not listed fails the test, and so does a listed place that
/// no longer exists.
///
/// The scan goes by the text of a line without comments and strings. It finds force unwraps, `try!`, `as!`;
/// `precondition`, `fatalError` and the like; integers made from another number (`Int32(x)`, `Int64(x)`; but not
/// `clamping:`, `truncatingIfNeeded:`, `bitPattern:`, `exactly:`, nor a literal or a `count`, which a 64-bit integer
/// holds); dictionaries with unique keys; ranges that do not begin at a literal; and `+ - *` beside `rawValue`,
/// `microseconds` and `milliseconds`, because positions and times from outside have these.
///
/// The scan cannot find what takes types to tell: other arithmetic (`+`, `*`, `-x`, `abs`, `<<`), division by zero,
/// subscripts and slices, ranges that begin at a literal (`0..<n` with a negative n), `removeFirst()` of an empty
/// collection, our own initialisers that trap, recursion that exhausts the stack, traps inside libraries, and exclusive
/// access. It does not read `FocusCore`, because the targets of `ops/fuzz` feed that module arbitrary input, nor
/// `Conformance`: a server that is judged may say anything, but the worst that a trap there ends is the run that judges
/// it, which a person started and sees. It reads neither SQL nor Promela.
@Suite("Traps") struct TrapTests {
    private static let modules = [
        "AdminPort", "Answers", "EventStore", "FocusSyncClient", "FocusWire", "PostgresClient", "SyncServer", "Tokens",
        "Waits",
    ]
    private static let list = Checkout.file("Tests/ArchitectureTests/Traps.txt")

    @Test("Whatever may trap on data is listed, with the reason why it does not; and nothing else is")
    func everyTrapIsListed() throws {
        let listed = try Self.listed()
        var found: [String: Int] = [:]
        for (file, code) in try Self.sources() {
            for line in code.lines where Self.mayTrap(line) {
                found["\(file): \(line.trimmingCharacters(in: .whitespaces))", default: 0] += 1
            }
        }
        // An empty scan would pass without having checked anything.
        #expect(found.count > 100)
        for (place, count) in found.sorted(by: { $0.key < $1.key }) where count > listed[place, default: 0] {
            Issue.record("not in Traps.txt: can data reach it? If not, list it under the reason:\n\(place)")
        }
        for (place, count) in listed.sorted(by: { $0.key < $1.key }) where count > found[place, default: 0] {
            Issue.record("in Traps.txt, and not (so often) in the source any more:\n\(place)")
        }
    }

    @Test("Every reason has places, and every place a reason")
    func everyPlaceHasAReason() throws {
        var reason: String?
        var places = 1
        for line in try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n") {
            if let text = line.wholeMatch(of: /=\s+(.{20,})/)?.1 {
                #expect(places > 0, "no place for: \(reason ?? "")")
                (reason, places) = (String(text), 0)
            } else if reason != nil {
                #expect(line.contains(".swift: "), "no place: \(line)")
                places += 1
            }
        }
        #expect(reason != nil && places > 0)
    }

    @Test(
        "The scan finds what it says",
        arguments: [
            "let a = b!", "a![0]", "f()!.c", "a[0]!", "try! f()", "x as! Y", "precondition(a)", "fatalError()",
            "preconditionFailure(\"why\")", "assert(a)", "a.unsafelyUnwrapped", "Int32(a)", "UInt8(a + 1)",
            "Int64(a.b)",
            "Int(b.rounded())", "UInt32(a.count)", "a &+ b", "a.rawValue - 1", "x + time.microseconds",
            "-a.milliseconds * 2 + a.milliseconds - b", "Dictionary(uniqueKeysWithValues: a)", "a...b", "a.b..<c",
            "first..<f(x)", "($0.first...$0.last)", "\"\\(a!)\"", "/* b */ a!", "let s = #\"\\#(a!)\"#",
        ])
    func finds(code: String) {
        #expect(SwiftCode(code).lines.contains(where: Self.mayTrap))
    }

    @Test(
        "The scan finds nothing in what cannot trap",
        arguments: [
            "a != b", "!a", "if !a.b { }", "// a!", "/* a! /* b! */ c! */ d", "\"a! \\\" b!\"", "#\"a! \"b!\"\"#",
            "\"\"\"\na!\n\"\"\"", "try? f()", "a as? B", "Int32(clamping: a)", "Int(truncatingIfNeeded: a)", "Int64(0)",
            "Int64(-1_000)", "Int64(a.count)", "Int(text.utf8.count)", "UInt8(ascii: \"a\")", "Int64(bitPattern: a)",
            "Int32(exactly: a)", "0..<a", "1...9", "a[1...]", "a[..<b]", "(0...1).contains(x)", "a + b", "UInt64()",
        ])
    func passesOver(code: String) {
        #expect(!SwiftCode(code).lines.contains(where: Self.mayTrap))
    }

    // MARK: Scan

    private static let harmless = expression(#"\b(?:Int64|Int)\([\w.$]*\bcount\)"#)
    private static let traps = expression(
        [
            // Force unwraps, and `try!` and `as!`.
            #"[\w)\]}]!(?!=)"#,
            #"\b(?:precondition|preconditionFailure|fatalError|assert|assertionFailure)\("#,
            #"\b(?:unsafelyUnwrapped|unsafeBitCast|unsafeDowncast)\b"#,
            #"\b(?:U?Int(?:8|16|32|64)?|CChar)\((?!clamping:|truncatingIfNeeded:|bitPattern:|exactly:|ascii:)"#
                + #"(?!littleEndian:|bigEndian:|\)|-?[\d_]+\))"#,
            #"&[-+*]"#, #"\.(?:rawValue|microseconds|milliseconds)\)? [-+*] "#,
            #"[-+*] -?[\w.$]*\.(?:rawValue|microseconds|milliseconds)\b"#,
            #"\buniqueKeysWithValues:"#,
            #"[A-Za-z_)\]][\w)\]]*\s*\.\.[.<]\s*[\w($]"#,
        ].joined(separator: "|"))

    private static func mayTrap(_ line: String) -> Bool {
        let whole = NSRange(line.startIndex..., in: line)
        let rest = harmless.stringByReplacingMatches(in: line, range: whole, withTemplate: "")
        return traps.firstMatch(in: rest, range: NSRange(rest.startIndex..., in: rest)) != nil
    }

    private static func expression(_ pattern: String) -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern)
        } catch {
            preconditionFailure("\(pattern): \(error)")
        }
    }

    private static func sources() throws -> [(file: String, code: SwiftCode)] {
        let sources = Checkout.file("Sources")
        return try modules.flatMap { module in
            let folder = sources.appendingPathComponent(module)
            let walker = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            let files = walker.compactMap { $0 as? URL }
                .filter { $0.pathExtension == "swift" && !$0.path.contains("/Generated/") }
            return try files.map { file in
                let name = String(file.path.dropFirst(sources.path.count + 1))
                return (name, SwiftCode(try String(contentsOf: file, encoding: .utf8)))
            }
        }
    }

    /// How often each place is listed. Lines before the first reason are an introduction for readers.
    private static func listed() throws -> [String: Int] {
        var listed: [String: Int] = [:]
        var hasBegun = false
        for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("= ") {
                hasBegun = true
            } else if hasBegun {
                listed[String(line), default: 0] += 1
            }
        }
        return listed
    }
}
