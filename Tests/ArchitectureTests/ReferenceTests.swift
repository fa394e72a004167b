import Foundation
import Support
import Testing

/// The repository explains itself: nothing in it needs a document that is not in it.
@Suite("References") struct ReferenceTests {
    /// Released migrations are never edited. Comments in these files name documents that `Schema/rules` has replaced.
    private static let released = [
        "0001_log.sql", "0002_read_model.sql", "0012_rebuild.sql", "Migrations.swift",
    ]
    /// Files that programs write, so the repository does not contain them.
    private static let outputs: Set = ["against.md"]
    /// Tests that read recorded tracks from beside the checkout and are skipped when there are none.
    private static let optional = ["RecordedRoutes.swift", "GPXRealTrackTests.swift"]
    private static let folders = ["Sources", "Tests", "Schema", "ops", ".github"]
    private static let ends = ["swift", "proto", "sql", "md", "py", "sh", "pml", ""]

    @Test("Every Markdown link of the repository leads to a file that is there", arguments: folders + ["README.md"])
    func links(place: String) throws {
        for file in try Self.files(in: place) where file.pathExtension == "md" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/\]\(([^)#:]+)(?:#[^)]*)?\)/#) {
                let target = file.deletingLastPathComponent().appendingPathComponent(String(match.1))
                let isThere = FileManager.default.fileExists(atPath: target.standardizedFileURL.path)
                #expect(isThere, "\(file.lastPathComponent) leads to \(match.1)")
            }
        }
    }

    @Test("Nothing names a document that is not in the repository", arguments: folders + ["README.md"])
    func documents(place: String) throws {
        var names = Self.outputs
        for place in Self.folders + ["README.md"] {
            for file in try Self.files(in: place) where file.pathExtension == "md" {
                names.insert(file.lastPathComponent)
            }
        }
        for file in try Self.files(in: place) where !Self.released.contains(file.lastPathComponent) {
            guard Self.ends.contains(file.pathExtension), let text = try? String(contentsOf: file, encoding: .utf8)
            else { continue }
            for match in text.matches(of: #/[\w\-]+\.md\b/#) where !names.contains(String(match.0)) {
                Issue.record("\(file.lastPathComponent) names \(match.0)")
            }
            guard !Self.optional.contains(file.lastPathComponent) else { continue }
            // The strings are split so that this file does not contain what it searches for.
            for outside in [".." + "/shared", "shared" + "/data", "/work" + "/"] {
                #expect(!text.contains(outside), "\(file.lastPathComponent) names \(outside)")
            }
        }
    }

    private static func files(in place: String) throws -> [URL] {
        let url = Checkout.file(place)
        guard url.pathExtension.isEmpty else { return [url] }
        let walker = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
        return walker.compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
    }
}
