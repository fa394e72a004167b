import FocusCore
import Foundation
import Support
import Testing

/// The tables of event types and collections say what the comments of `Schema/proto` say, from which the catalogue is
/// made.
@Suite("Traits") struct TraitsTests {
    /// The comments of a folder's messages, each as one text.
    private static func comments(in folder: String) throws -> [String] {
        let root = Checkout.file("Schema/proto/focus/\(folder)")
        let files = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
        var comments: [String] = []
        for file in files where file.pathExtension == "proto" {
            var lines: [String] = []
            for line in try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            {
                if line.hasPrefix("//") {
                    lines.append(line.drop { $0 == "/" }.trimmingCharacters(in: .whitespaces))
                } else {
                    if line.hasPrefix("message ") { comments.append(lines.joined(separator: " ")) }
                    lines = []
                }
            }
        }
        return comments
    }

    @Test("who may append an event, and what its envelope says of an app, is what the schema says")
    func events() throws {
        var seen: Set<EventType> = []
        for comment in try Self.comments(in: "events/v1") {
            guard
                let name = comment.firstMatch(of: /^([a-z]+\.[a-zA-Z]+)(?: \([^)]*\))?:/)?.1
                    ?? comment.firstMatch(of: /^([a-zA-Z]+\.[a-zA-Z]+)/)?.1,
                let type = EventType(rawValue: String(name))
            else { continue }
            seen.insert(type)
            let author: EventTraits.Author? =
                if comment.contains("Appended by the server alone") {
                    .server
                } else if comment.contains("Scope: the app.") {
                    .app
                } else if comment.contains("Scope: the app") {
                    .apps
                } else if comment.contains("Scope: system") { .system } else { nil }
            #expect(author == type.traits.author, "\(type.rawValue)")
            let said = comment.firstMatch(of: /Envelope app: ([^.]*)\./)?.1 ?? ""
            let app: EventTraits.AppField =
                if said.hasSuffix("required") { .required } else if said == "absent" { .absent } else { .optional }
            #expect(app == type.traits.app, "\(type.rawValue): \(said)")
        }
        #expect(seen == Set(EventType.allCases))
    }

    @Test("the public collections are those that the schema has a message of")
    func collections() throws {
        let named = try Self.comments(in: "sync/v1").flatMap { $0.matches(of: /Collection `([a-z_]+)`[,:]/).map(\.1) }
        let known = named.map { RowCollection(rawValue: String($0)) }
        #expect(Set(known) == Set(RowCollection.allCases.filter(\.isPublic)) && known.count == Set(known).count)
    }
}
