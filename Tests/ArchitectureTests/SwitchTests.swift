import Foundation
import Support
import Testing

/// A new type of event, or collection, is a line in a table and a case in few switches.
@Suite("Switches") struct SwitchTests {
    private static let sources = Checkout.file("Sources")

    /// An enumeration, the files of its tables, and those that have a switch over all of its cases beside them.
    struct Enumeration: CustomTestStringConvertible, Sendable {
        var file: String
        var tables: Set<String>
        var others: Set<String>
        var testDescription: String { file }
    }

    @Test(
        "The tables, and four other places each, name every case; nothing else does",
        arguments: [
            Enumeration(
                file: "FocusCore/Events/EventType.swift",
                tables: [
                    "FocusCore/Events/EventTraits.swift", "FocusCore/Events/EventBody.swift",
                    "FocusWire/Payloads/PayloadMessage.swift",
                ],
                others: [
                    "FocusCore/State/EventShape.swift", "FocusCore/State/UserState+Validation.swift",
                    "FocusCore/State/UserState.swift", "Answers/History/EventSentence.swift",
                ]),
            Enumeration(
                file: "FocusCore/Rows/RowCollection.swift",
                tables: ["FocusCore/Rows/CollectionTraits.swift", "FocusWire/RowJSON.swift"],
                others: [
                    "FocusCore/State/UserState+Loading.swift", "FocusCore/State/UserState+Rows.swift",
                    "FocusCore/Prediction/NeutralMemo.swift", "EventStore/ReadModel/RowTable.swift",
                ]),
        ])
    func switches(_ enumeration: Enumeration) throws {
        let source = try String(contentsOf: Self.sources.appendingPathComponent(enumeration.file), encoding: .utf8)
        let cases = Set(source.matches(of: /\n    case (\w+)/).map { String($0.1) })
        #expect(cases.count > 20)
        var found: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path).sorted()
        where file.hasSuffix(".swift") && !file.contains("/Generated/") {
            let text = try String(contentsOf: Self.sources.appendingPathComponent(file), encoding: .utf8)
            let names = Self.switches(SwiftCode(text).lines)
            if names.contains(where: { $0.isSuperset(of: cases) }) { found.insert(file) }
        }
        #expect(found == enumeration.tables.union(enumeration.others))
    }

    /// The names of cases in each switch of a file.
    private static func switches(_ lines: [String]) -> [Set<String>] {
        var open: [(indent: Int, names: Set<String>)] = []
        var done: [Set<String>] = []
        var isPattern = false
        for line in lines {
            let indent = line.prefix { $0 == " " }.count
            if let last = open.last, line.drop(while: { $0 == " " }).hasPrefix("}"), indent == last.indent {
                done.append(open.removeLast().names)
            }
            if line.contains(/\bswitch .*\{$/) { open.append((indent, [])) }
            guard !open.isEmpty else { continue }
            let code = line.drop { $0 == " " }
            isPattern = isPattern || code.hasPrefix("case ")
            guard isPattern else { continue }
            let pattern = code.firstRange(of: ":").map { code[..<$0.lowerBound] } ?? code
            open[open.count - 1].names.formUnion(pattern.matches(of: /\.(\w+)/).map { String($0.1) })
            isPattern = pattern.count == code.count
        }
        return done
    }
}
