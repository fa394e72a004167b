import FocusCore
import FocusSyncClient
import Foundation
import Testing

/// A settings bundle in a directory of its own, removed with this object.
private final class BundleFixture {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func write(_ name: String, _ data: Data) throws {
        try data.write(to: directory.appendingPathComponent(name))
    }

    func write(_ name: String, text: String) throws { try write(name, Data(text.utf8)) }

    /// Writes a pane with these specifiers.
    func pane(
        _ name: String, _ specifiers: [[String: Any]], _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws {
        try write(
            name,
            PropertyListSerialization.data(
                fromPropertyList: ["PreferenceSpecifiers": specifiers], format: format, options: 0))
    }

    func read() throws(SettingsBundleError) -> SettingsBundle { try SettingsBundle(directory: directory.path) }

    func failure() -> SettingsBundleError? {
        do { _ = try read() } catch { return error }
        return nil
    }
}

@Suite("SettingsBundle") struct SettingsBundleTests {
    private let fixture: BundleFixture
    init() throws { fixture = try BundleFixture() }

    private func item(_ key: String, _ value: Any) -> [String: Any] {
        ["Type": "PSToggleSwitchSpecifier", "Key": key, "DefaultValue": value]
    }

    private func child(_ file: String) -> [String: Any] { ["Type": "PSChildPaneSpecifier", "File": file] }

    private func values() throws -> [String: PropertyValue] {
        Dictionary(uniqueKeysWithValues: try fixture.read().defaults.map { ($0.key, $0.value) })
    }

    @Test(
        "D4, D2: XML and binary plists, every type as itself",
        arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func types(_ format: PropertyListSerialization.PropertyListFormat) throws {
        try fixture.pane(
            "Root.plist",
            [
                ["Type": "PSGroupSpecifier", "Title": "no key"], ["Key": "no default"], ["DefaultValue": "no key"],
                item("true", true), item("false", false), item("1", 1), item("0", 0), item("1.0", NSNumber(value: 1.0)),
                item("min", Int64.min), item("max", Int64.max), item("text", "Grüße"), item("data", Data([0, 255])),
                item("date", Date(timeIntervalSince1970: 1_700_000_000)), item("array", [1, true] as [Any]),
                item("dictionary", ["b": 2.5, "a": ["x"]] as [String: Any]),
            ], format)
        let dictionary = try #require(
            PropertyDictionary([.init("a", .array([.string("x")])), .init("b", .real(2.5))]))
        #expect(
            try values() == [
                "true": .bool(true), "false": .bool(false), "1": .integer(1), "0": .integer(0), "1.0": .real(1),
                "min": .integer(.min), "max": .integer(.max), "text": .string("Grüße"), "data": .data([0, 255]),
                "date": .date(Timestamp(microseconds: 1_700_000_000_000_000)),
                "array": .array([.integer(1), .bool(true)]), "dictionary": .dictionary(dictionary),
            ])
    }

    @Test("D4: keys ascend by their bytes, each with its file; the event takes them as they are")
    func order() throws {
        try fixture.pane("Root.plist", [item("b", 1), child("Child"), item("B", 2)])
        try fixture.pane("Child.plist", [item("a", 3)])
        let bundle = try fixture.read()
        #expect(
            bundle.defaults == [
                .init(key: "B", value: .integer(2), file: "Root.plist"),
                .init(key: "a", value: .integer(3), file: "Child.plist"),
                .init(key: "b", value: .integer(1), file: "Root.plist"),
            ])
        #expect(bundle.dictionary.entries.map(\.key) == ["B", "a", "b"])
    }

    @Test("D4: child panes are followed, named with or without .plist, from panes of any depth")
    func children() throws {
        try fixture.pane("Root.plist", [child("One"), child("Two.plist")])
        try fixture.pane("One.plist", [item("one", 1), child("Three")])
        try fixture.pane("Two.plist", [item("two", 2)], .binary)
        try fixture.pane("Three.plist", [item("three", 3)])
        #expect(try values() == ["one": .integer(1), "two": .integer(2), "three": .integer(3)])
    }

    @Test("D4: within a file the last definition of a key wins, also over an earlier child pane")
    func lastWins() throws {
        try fixture.pane("Root.plist", [item("k", 1), item("k", 2), child("Child"), item("c", 3)])
        try fixture.pane("Child.plist", [item("c", 9), item("k", 9), item("own", 1), item("own", 2)])
        #expect(try values() == ["k": .integer(2), "c": .integer(3), "own": .integer(2)])
    }

    @Test("D4: a child pane never overwrites a key already present, be it of an earlier child pane")
    func childrenYield() throws {
        try fixture.pane("Root.plist", [child("One"), child("Two")])
        try fixture.pane("One.plist", [item("k", 1), child("Three")])
        try fixture.pane("Two.plist", [item("k", 2), item("deep", 2)])
        try fixture.pane("Three.plist", [item("k", 3), item("deep", 3)])
        #expect(try values() == ["k": .integer(1), "deep": .integer(3)])
    }

    @Test("D4: a key with two different defaults is told with the file of each, whichever counts")
    func contradictions() throws {
        let keyed = { (key: String, value: Int64, file: String) in
            SettingsBundle.Default(key: key, value: .integer(value), file: file)
        }
        try fixture.pane(
            "Root.plist",
            [
                item("same", 1), item("twice", 1), item("same", 1), item("twice", 2), child("One"), item("late", 5),
                child("Two"), item("kind", true),
            ])
        try fixture.pane("One.plist", [item("same", 1), item("twice", 3), item("late", 4), item("kind", 1)])
        try fixture.pane("Two.plist", [child("One"), item("one", 1)])
        let bundle = try fixture.read()
        #expect(
            bundle.contradictions == [
                .init(ignored: keyed("twice", 1, "Root.plist"), file: "Root.plist"),
                .init(ignored: keyed("twice", 3, "One.plist"), file: "Root.plist"),
                .init(ignored: keyed("late", 4, "One.plist"), file: "Root.plist"),
                // Rule D2: 1 and true are different values.
                .init(ignored: keyed("kind", 1, "One.plist"), file: "Root.plist"),
            ])
        #expect(try values()["twice"] == .integer(2) && values()["late"] == .integer(5))
        try fixture.pane("Root.plist", [item("a", 1), child("One"), item("a", 1)])
        #expect(try fixture.read().contradictions == [])
    }

    @Test("D4: a pane that two others lead to is no cycle")
    func diamond() throws {
        try fixture.pane("Root.plist", [child("One"), child("Two"), child("One")])
        try fixture.pane("One.plist", [child("Shared")])
        try fixture.pane("Two.plist", [child("Shared.plist")])
        try fixture.pane("Shared.plist", [item("k", 1)])
        #expect(try values() == ["k": .integer(1)])
    }

    @Test("D4: a cycle names its files, whatever it is called by")
    func cycles() throws {
        try fixture.pane("Root.plist", [item("k", 1), child("One")])
        try fixture.pane("One.plist", [child("Two.plist")])
        try fixture.pane("Two.plist", [child("./One")])
        #expect(fixture.failure() == .cycle(["One.plist", "Two.plist", "./One.plist"]))
        try fixture.pane("Two.plist", [child("Root")])
        #expect(fixture.failure() == .cycle(["Root.plist", "One.plist", "Two.plist", "Root.plist"]))
        try fixture.pane("Root.plist", [child("Root")])
        #expect(fixture.failure() == .cycle(["Root.plist", "Root.plist"]))
    }

    @Test("D4: a missing file is named")
    func missing() throws {
        #expect(fixture.failure() == .missing(file: "Root.plist"))
        try fixture.pane("Root.plist", [child("Gone")])
        #expect(fixture.failure() == .missing(file: "Gone.plist"))
        #expect(throws: SettingsBundleError.notADirectory("/nowhere")) { try SettingsBundle(directory: "/nowhere") }
        let file = fixture.directory.appendingPathComponent("Root.plist").path
        #expect(throws: SettingsBundleError.notADirectory(file)) { try SettingsBundle(directory: file) }
    }

    @Test("D4: a pane outside the bundle is refused", arguments: ["../Other", "/etc/hosts", "a/../../Other", ".."])
    func outside(_ name: String) throws {
        try fixture.pane("Root.plist", [child(name)])
        let file = name.hasSuffix(".plist") ? name : name + ".plist"
        // With the extension added, `..` is a file name, which is only missing.
        let expected: SettingsBundleError =
            name == ".." ? .missing(file: "...plist") : .outside(file: "Root.plist", name: file)
        #expect(fixture.failure() == expected)
    }

    @Test("D4: a symbolic link out of the bundle is refused, one within it is followed")
    func links() throws {
        let other = try BundleFixture()
        try other.pane("Other.plist", [item("k", 1)])
        try fixture.pane("Root.plist", [child("Link")])
        let link = fixture.directory.appendingPathComponent("Link.plist")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: other.directory.appendingPathComponent("Other.plist"))
        #expect(fixture.failure() == .outside(file: "Root.plist", name: "Link.plist"))
        try FileManager.default.removeItem(at: link)
        try fixture.pane("Child.plist", [item("k", 2)])
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: fixture.directory.appendingPathComponent("Child.plist"))
        #expect(try values() == ["k": .integer(2)])
    }

    @Test("D4: no PreferenceSpecifiers, and every wrong type, is told by file and place")
    func wrongTypes() throws {
        func root(_ list: Any) throws -> SettingsBundleError? {
            try fixture.write(
                "Root.plist", PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0))
            return fixture.failure()
        }
        func wrong(_ place: String, _ expected: String) -> SettingsBundleError {
            .wrongType(file: "Root.plist", place: place, expected: expected)
        }
        #expect(try root(["Title": "x"]) == .noSpecifiers(file: "Root.plist"))
        #expect(try root(["x"]) == wrong("the property list", "a dictionary"))
        #expect(try root(["PreferenceSpecifiers": "x"]) == wrong("PreferenceSpecifiers", "an array"))
        #expect(
            try root(["PreferenceSpecifiers": [["Key": "a"], "x"] as [Any]]) == wrong("item 1", "a dictionary"))
        #expect(
            try root(["PreferenceSpecifiers": [["Key": 1, "DefaultValue": 1]]]) == wrong("item 0's Key", "a string"))
        #expect(try root(["PreferenceSpecifiers": [["Type": 1]]]) == wrong("item 0's Type", "a string"))
        let file = "the name of a child pane"
        #expect(
            try root(["PreferenceSpecifiers": [["Type": "PSChildPaneSpecifier"]]]) == wrong("item 0's File", file))
        #expect(try root(["PreferenceSpecifiers": [child("")]]) == wrong("item 0's File", file))
        #expect(
            try root(["PreferenceSpecifiers": [["Type": "PSChildPaneSpecifier", "File": 1] as [String: Any]]])
                == wrong("item 0's File", "a string"))
        #expect(
            try root(["PreferenceSpecifiers": [item("k", UInt64.max)]])?.description
                == "Root.plist: item 0's DefaultValue has an integer beyond 64 signed bits")
        #expect(try root(["PreferenceSpecifiers": [Any]()]) == nil)
    }

    @Test("D4: an error in any pane refuses all of the bundle")
    func nothingHalfRead() throws {
        try fixture.pane("Root.plist", [item("k", 1), child("Bad")])
        try fixture.write("Bad.plist", text: "<plist><dict>")
        #expect(fixture.failure() == .notAPropertyList(file: "Bad.plist"))
    }

    @Test(
        "D4: what is neither an XML nor a binary plist is told",
        arguments: ["", "text", "{ PreferenceSpecifiers = (); }", "bplist00", "bplist00\u{1}\u{2}", "<plist>"])
    func noPropertyList(_ text: String) throws {
        try fixture.write("Root.plist", text: text)
        #expect(fixture.failure() == .notAPropertyList(file: "Root.plist"))
    }

    @Test("A file beyond all panes and a directory in a pane's place are told")
    func unreadable() throws {
        try fixture.write("Root.plist", Data(count: 4 * 1024 * 1024 + 1))
        #expect(fixture.failure() == .tooLarge(file: "Root.plist", limit: 4 * 1024 * 1024))
        try fixture.pane("Root.plist", [child("Folder")])
        try FileManager.default.createDirectory(
            at: fixture.directory.appendingPathComponent("Folder.plist"), withIntermediateDirectories: true)
        #expect(fixture.failure() == .unreadable(file: "Folder.plist"))
    }

    @Test("A chain of more than 256 panes is refused")
    func tooManyFiles() throws {
        try fixture.pane("Root.plist", [child("0")])
        for number in 0..<255 { try fixture.pane("\(number).plist", number < 254 ? [child("\(number + 1)")] : []) }
        #expect(fixture.failure() == nil)
        try fixture.pane("254.plist", [child("255")])
        try fixture.pane("255.plist", [])
        #expect(fixture.failure() == .tooManyFiles(limit: 256))
    }

    @Test("D4: a small file whose arrays share their elements is refused, not expanded")
    func sharedArrays() throws {
        // Each of 24 arrays names the next one twice: 16 M values in some 300 bytes. Foundation would write them out.
        var objects: [[UInt8]] = [
            [0xD1, 1, 2], Self.text("PreferenceSpecifiers"), [0xA1, 3], [0xD3, 4, 6, 8, 5, 7, 9], Self.text("Type"),
            Self.text("PSToggleSwitchSpecifier"), Self.text("Key"), Self.text("bomb"), Self.text("DefaultValue"),
        ]
        for _ in 0..<24 { objects.append([0xA2, UInt8(objects.count + 1), UInt8(objects.count + 1)]) }
        objects.append([0x10, 1])
        try fixture.write("Root.plist", Self.binaryPropertyList(objects))
        let begin = ContinuousClock.now
        #expect(fixture.failure()?.description.contains("stands for far more than its bytes") == true)
        #expect(ContinuousClock.now - begin < .seconds(10))
        // The same with one value, which is read.
        objects[9] = [0x10, 1]
        try fixture.write("Root.plist", Self.binaryPropertyList(objects))
        #expect(try values() == ["bomb": .integer(1)])
    }

    @Test("D4: arrays in arrays deeper than any preference are refused, not followed")
    func deepArrays() throws {
        var nested: [Any] = []
        for _ in 0..<200 { nested = [nested] }
        try fixture.pane("Root.plist", [item("deep", nested)])
        #expect(fixture.failure()?.description.contains("item 0's DefaultValue has more than") == true)
    }

    private static func text(_ text: String) -> [UInt8] { [0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8) }

    /// A binary property list of these objects, of which the first is the outermost.
    private static func binaryPropertyList(_ objects: [[UInt8]]) -> Data {
        var (bytes, offsets) = (Array("bplist00".utf8), [UInt8]())
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [objects.count, 0, table] { withUnsafeBytes(of: UInt64(number).bigEndian) { bytes += $0 } }
        return Data(bytes)
    }
}
