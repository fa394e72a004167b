import Foundation
import Support
import Testing

/// `ops/generate-catalogue.py` carries the comments of Schema/proto into Schema/README.md.
@Suite("Catalogue generator")
struct CatalogueGeneratorTests {
    /// A copy of Schema that the test may change; removed with the object.
    private final class Copy {
        let root: URL

        init() throws {
            root = FileManager.default.temporaryDirectory.appendingPathComponent("catalogue-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Checkout.file("Schema"),
                to: root.appendingPathComponent("Schema"))
        }

        deinit { try? FileManager.default.removeItem(at: root) }

        func text(_ file: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent("Schema/\(file)"), encoding: .utf8)
        }

        /// Replaces `old`, which must occur exactly once.
        func replace(_ old: String, _ new: String, in file: String) throws {
            let parts = try text(file).components(separatedBy: old)
            try #require(parts.count == 2, "\(old)")
            try parts.joined(separator: new).write(
                to: root.appendingPathComponent("Schema/\(file)"), atomically: true, encoding: .utf8)
        }

        func append(_ addition: String, to file: String) throws {
            try (text(file) + addition).write(
                to: root.appendingPathComponent("Schema/\(file)"), atomically: true, encoding: .utf8)
        }

        /// Runs the generator; returns what it complains about, or nil if it succeeds.
        func generate(_ arguments: String...) throws -> String? {
            let (status, errors) = try Checkout.run(
                ["python3", "ops/generate-catalogue.py", "--root", root.path] + arguments)
            return status == 0 ? nil : errors
        }
    }

    private let copy: Copy
    init() throws { copy = try Copy() }

    private static let events = "proto/focus/events/v1/focus.proto"
    private static let comment = "// What the person calls it. Not empty: field_missing."

    @Test("a changed comment is drift, and once written it stands in the catalogue; what is by hand stays")
    func comment() throws {
        #expect(try copy.generate("--check") == nil)
        try copy.replace(Self.comment, "// How the person calls it | truly.", in: Self.events)
        let before = try copy.text("README.md")
        #expect(try copy.generate("--check")?.contains("README.md differs") == true)
        #expect(try copy.text("README.md") == before)
        #expect(try copy.generate() == nil)
        let after = try copy.text("README.md")
        #expect(after.contains(#"| `name` | text | How the person calls it \| truly. |"#))
        #expect(
            after.components(separatedBy: "### Protocol").count == before.components(separatedBy: "### Protocol").count)
        #expect(try copy.generate("--check") == nil)
    }

    @Test("a new event has its scope, app, codes, fields, parts and example")
    func newEvent() throws {
        try copy.append(
            """

            // focus.shared (rule F1): somebody shares it. Twice is
            // once.
            // Scope: the app, or system. Envelope app: required.
            // Refused: app_unknown, not_authorized (until until_us).
            message FocusShared {
              // To whom.
              message Viewer { string user = 1; } // by id
              enum How { HOW_UNSPECIFIED = 0; LOUD = 1; }
              repeated Viewer viewers = 1; // at most 7: too_many
              oneof way {
                How how = 2;
                map<string, int64> until_us = 3;
              }
            }
            """, to: Self.events)
        #expect(try copy.generate()?.contains("no example of focus.shared") == true)
        try copy.append("focus.shared {\"how\":\"LOUD\"}\n", to: "samples/examples.txt")
        #expect(try copy.generate() == nil)
        let text = try copy.text("README.md")
        let row = "| `focus.shared` | FocusShared | | the app, or system | required | "
        #expect(text.contains(row + "`app_unknown` `not_authorized` `too_many` |"))
        let section = try #require(text.components(separatedBy: "### focus.shared\n").last)
        for part in [
            "\nSomebody shares it. Twice is once. (Rule F1.)\n",
            "| `viewers` | list of [FocusShared.Viewer](#focussharedviewer) | at most 7: `too_many` |",
            "| `how` | `LOUD` | |", "| `untilUs` | text → int64 | |", "At most one of `how`, `untilUs` is there.",
            "```json\n{\"how\":\"LOUD\"}\n```", "#### FocusShared.Viewer\n\nTo whom.\n",
        ] { #expect(section.contains(part), "\(part)") }
    }

    @Test("a new row has its collection, key and app")
    func newRow() throws {
        try copy.append(
            """

            // Collection `moods`, key: the day. How somebody feels. App: none.
            message MoodRow {
              // 0 to 1.
              double mood = 1;
            }
            """, to: "proto/focus/sync/v1/rows.proto")
        #expect(try copy.generate() == nil)
        let text = try copy.text("README.md")
        #expect(text.contains("| `moods` | none | the day | [MoodRow](#moodrow) | | How somebody feels |"))
        #expect(text.contains("#### MoodRow\n\nCollection `moods`. How somebody feels.\n"))
    }

    @Test("Apple's names leave the meaning for a column, which only tables with such a name have")
    func appleNames() throws {
        try copy.append(
            """

            // Collection `moods`, key: the day. How somebody feels. App: none. Apple: HKStateOfMind.
            message MoodRow {
              // How it is said.
              enum Kind { KIND_UNSPECIFIED = 0;
                // Apple: dailyMood.
                DAILY = 1; }
              // Apple: valence.
              double mood = 1;
              // Sincere. Apple: what(is:_:).
              Kind kind = 2;
              // Apple: pie is none.
              string note = 3;
              Part part = 4;
            }

            // Apple: Part.
            message Part {
              // Of it.
              string name = 1;
            }
            """, to: "proto/focus/sync/v1/rows.proto")
        #expect(try copy.generate() == nil)
        let text = try copy.text("README.md")
        let section = try #require(text.components(separatedBy: "#### MoodRow\n").last)
        #expect(text.contains("[MoodRow](#moodrow) | `HKStateOfMind` | How somebody feels |"))
        for part in [
            "\nCollection `moods`. How somebody feels. Apple's name: `HKStateOfMind`.\n",
            "\n| Field | Type | Apple's name | Meaning, unit, range |\n| --- | --- | --- | --- |\n",
            "\n| `mood` | number | `valence` | |\n", "\n| `kind` | `DAILY` | `what(is:_:)` | Sincere. |\n",
            "\n| `note` | text | | Apple: pie is none. |\n",
            "\n| Value of `kind` | Apple's name | How it is said. |\n| --- | --- | --- |\n",
            "\n| `DAILY` | `dailyMood` | |\n",
            "#### Part\n\nApple's name: `Part`.\n\n| Field | Type | Meaning, unit, range |\n",
        ] { #expect(section.contains(part), "\(part)") }
    }

    @Test("what cannot be used is told by its name, and nothing is written")
    func unusable() throws {
        let before = try copy.text("README.md")
        func complaint(_ old: String, _ new: String, in file: String) throws -> String {
            let text = try copy.text(file)
            try copy.replace(old, new, in: file)
            let complaint = try copy.generate() ?? "none"
            try text.write(to: copy.root.appendingPathComponent("Schema/\(file)"), atomically: true, encoding: .utf8)
            return complaint
        }
        let refused = "Refused: too_many (an app has at most 10,000 members"
        #expect(
            try complaint(refused, "Refused: too_bold (an app has at most 10,000 members", in: Self.events)
                .contains("AudienceChanged: Refused names too_bold"))
        #expect(try complaint("  Stamp activation", "  Stomp activation", in: Self.events).contains("Stomp is a type"))
        #expect(try complaint("message Stamp {", "message Stamp {{", in: Self.events).contains("focus.proto"))
        #expect(
            try complaint("<!-- end generated: rows -->", "", in: "README.md").contains("<!-- end generated: rows -->"))
        #expect(try copy.text("README.md") == before)
    }
}
