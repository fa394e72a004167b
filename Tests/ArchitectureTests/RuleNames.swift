/// The rules that tests name. Both documents count their own: A1, A2, F1 to F5 and P1 to P4 are in both.
enum RuleNames {
    /// Rules of the domain (domain.md): each is proved by tests that begin with its name.
    static let domain =
        names("E", 1...6) + names("A", 1...2) + names("F", 1...5) + names("I", 1...4) + names("N", 1...10)
        + ["N12", "N13", "N15", "N16"] + names("B", 1...4) + names("P", 1...4) + names("R", 1...8) + ["T1", "T3"]

    /// Rules of the sync protocol (protocol.md).
    static let wire =
        names("W", 1...7) + names("A", 1...4) + names("P", 1...10) + names("S", 1...9) + names("V", 1...4)
        + names("F", 1...5) + ["G1"]

    /// Those of `wire` that nothing proves yet. One that gets a test leaves this list, and none comes back.
    static let unproven: Set<String> = []

    /// Where a name that both documents have means the protocol's: tests of sessions, of the server and of the client.
    static let wirePlaces = [
        "SyncServerTests/", "FocusSyncClientTests/", "FocusCoreTests/Session/", "SimulationTests/",
    ]
    /// Tests there that are about the domain all the same.
    static let domainPlaces = [
        "SyncServerTests/Time/TimeTests.swift", "FocusSyncClientTests/SettingsBundleTests.swift",
        "FocusSyncClientTests/PropertyTextTests.swift",
    ]

    private static func names(_ letter: String, _ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { "\(letter)\($0)" }
    }
}

/// A rule, by the document that has it.
struct Rule: Hashable, CustomStringConvertible {
    enum Document: String { case domain, wire }

    let document: Document
    let name: String
    var description: String { "\(document.rawValue) \(name)" }

    /// What `name` means in a test of this file (below `Tests`); nil: neither document has such a rule.
    init?(_ name: String, in file: String) {
        let isDomain = RuleNames.domain.contains(name)
        let isWire = RuleNames.wire.contains(name)
        guard isDomain || isWire else { return nil }
        let isWirePlace = RuleNames.wirePlaces.contains { file.hasPrefix($0) } && !RuleNames.domainPlaces.contains(file)
        document = isDomain && !(isWire && isWirePlace) ? .domain : .wire
        self.name = name
    }

    init(_ document: Document, _ name: String) {
        self.document = document
        self.name = name
    }
}
