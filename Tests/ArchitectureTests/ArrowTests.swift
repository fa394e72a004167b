import Foundation
import Support
import Testing

/// Checks every `import` line of `Sources` against the table in `Sources/README.md`, "Modules".
@Suite("Arrows") struct ArrowTests {
    /// For each of our modules, the modules of ours that it may import: first and last column of the table.
    static let arrows: [String: Set<String>] = {
        let file = Checkout.file("Sources/README.md")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "## Modules\n").last?.components(separatedBy: "\n## ").first ?? ""
        var arrows: [String: Set<String>] = [:]
        for row in section.split(separator: "\n") {
            guard let match = row.wholeMatch(of: #/\| `([\w\-]+)` \|.*\| ([^|]+) \|/#) else { continue }
            arrows[String(match.1)] = Set(match.2.split(separator: ", ").map(String.init)).subtracting(["–"])
        }
        return arrows
    }()
    /// The modules from outside this package that a module without side effects may import.
    static let pureImports: Set<String> = ["Crypto", "Foundation", "FoundationEssentials", "Glibc"]
    static let programs: Set<String> = ["focusd", "focusctl", "focus-bench", "focus-conformance"]
    /// Library modules, each with the modules of ours that alone may import it.
    static let confined: [String: Set<String>] = [
        "ArgumentParser": programs.union(["Programs"]),
        "SwiftProtobuf": ["FocusWire"],
        "CLibPQ": ["PostgresClient"],
        "CJemalloc": ["focusd"],
        "CScheduler": ["EventStore", "SyncServer"],
        "GRDB": ["FocusSyncClient"],
        "NIOCore": ["AdminPort", "Listeners", "SyncServer", "FocusSyncClient", "Conformance"],
        "NIOHTTP1": ["AdminPort"],
        // Only tests use it: the simulation drives its servers' event loops by hand.
        "NIOEmbedded": [],
        "NIOPosix": ["AdminPort", "SyncServer", "FocusSyncClient", "Conformance"],
        "NIOSSL": ["AdminPort", "SyncServer", "FocusSyncClient", "Conformance"],
    ]

    @Test("Every import keeps to the arrows", arguments: arrows.keys.sorted())
    func importsKeepToTheArrows(module: String) throws {
        let allowed = try #require(Self.arrows[module])
        for (file, imported) in try imports(of: module) where imported != module {
            if Self.arrows[imported] != nil {
                #expect(allowed.contains(imported), "\(file): \(module) must not import \(imported)")
            }
            if let owners = Self.confined[imported] {
                #expect(owners.contains(module), "\(file): \(imported) must not leave \(owners.sorted())")
            }
        }
    }

    @Test("FocusCore imports nothing that can read the world, nor does Answers", arguments: ["FocusCore", "Answers"])
    func importsNothingImpure(module: String) throws {
        let allowed = Self.pureImports.union(Self.arrows[module] ?? [])
        for (file, imported) in try imports(of: module) {
            #expect(allowed.contains(imported), "\(file) imports \(imported)")
        }
        for file in try files(of: module) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for forbidden in [
                "Date()", "Calendar", "TimeZone", "random(in", "ProcessInfo", "FileManager", "ContinuousClock",
            ] {
                #expect(!text.contains(forbidden), "\(file.lastPathComponent) uses \(forbidden)")
            }
        }
    }

    @Test("Every folder of Sources is a module of the table, and every module that the table names is one")
    func everyModuleIsKnown() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { !$0.hasPrefix(".") && $0 != "README.md" }
        #expect(Set(folders) == Set(Self.arrows.keys))
        for (module, imported) in Self.arrows {
            #expect(imported.isSubset(of: folders), "\(module): \(imported.subtracting(folders))")
        }
    }

    @Test(
        "Nothing waits by the wall clock",
        arguments: ["AdminPort", "PostgresClient", "EventStore", "SyncServer", "focusd"])
    func waitsAreMonotonic(module: String) throws {
        for file in try files(of: module) {
            let text = try String(contentsOf: file, encoding: .utf8)
            // Dispatch's semaphores and Foundation's conditions end at moments of the wall clock on Linux.
            for forbidden in [
                "NSCondition", "Date(timeIntervalSinceNow", "wait(timeout:", "wait(wallTimeout:", "Thread.sleep",
            ] {
                #expect(!text.contains(forbidden), "\(file.lastPathComponent) uses \(forbidden): see Waits")
            }
        }
    }

    @Test("SQL lives in Schema, not in Swift")
    func noSQLInSwift() throws {
        let statement = /"(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s/
        for module in Self.arrows.keys {
            for file in try files(of: module) where !file.path.contains("/Generated/") {
                let text = try String(contentsOf: file, encoding: .utf8)
                let found = text.firstMatch(of: statement).map { String($0.output) }
                #expect(found == nil, "\(file.path) holds SQL")
            }
        }
    }

    private var sources: URL { Checkout.file("Sources") }

    private func files(of module: String) throws -> [URL] {
        let root = sources.appendingPathComponent(module)
        let walker = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return walker.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private func imports(of module: String) throws -> [(file: String, module: String)] {
        // Attributes, an access level and a declaration kind may stand around the keyword.
        let pattern = try Regex(
            #"^\s*(?:@\w+\s+)*(?:\w+ )?import (?:(?:struct|class|enum|func|protocol|typealias|var|let) )?(\w+)"#,
            as: (Substring, Substring).self)
        return try files(of: module).flatMap { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
                line.firstMatch(of: pattern).map { (file.lastPathComponent, String($0.1)) }
            }
        }
    }
}
