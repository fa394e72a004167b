import FocusCore
import FocusWire
import Support
import Testing

/// Every stored sample folds, because a rebuild of the read model folds logs of any age.
@Suite("Golden fold")
struct GoldenFoldTests {
    /// Types that end what later samples need; the story that leads up to a sample leaves them out.
    private static let enders: Set<EventType> = [.routeFinished]
    /// Types whose sample changes no rows. A summary's delivery names a stamp that nothing in the story has; a
    /// revocation changes only what the fold remembers of the device; lost events only take sequences. The end of a
    /// report names one that nothing in the story has, and no alert waits there to ring elsewhere.
    private static let conditional: Set<EventType> = [
        .summaryDelivered, .deviceRevoked, .deviceEventsLost, .deviceActivityEnded, .alertRingsElsewhere,
    ]

    private func event(_ body: EventBody, after state: UserState) throws -> Event {
        let device = DeviceID(SampleEvents.id(1))
        let incarnation = Incarnation(1)
        return Event(
            version: state.version.next, device: device, incarnation: incarnation,
            sequence: state.lastSequence(of: device, incarnation: incarnation).next,
            id: EventID(SampleEvents.id(UInt8(state.version.next.rawValue))),
            app: try SampleEvents.app("com.example.messages"),
            occurredAt: SampleEvents.time.adding(microseconds: state.version.rawValue),
            recordedAt: SampleEvents.time.adding(microseconds: 1_000_000), body: body)
    }

    /// The state after the samples of all types before `type`, in the catalogue's order: apps first, then what needs
    /// them.
    private func story(before type: EventType) throws -> UserState {
        let samples = try StoredSample.all(of: FocusWire.payloadSchemaVersion)
        var state = UserState(user: UserID(SampleEvents.id(2)))
        for earlier in EventType.allCases.prefix(while: { $0 != type }) where !Self.enders.contains(earlier) {
            let sample = try #require(samples.first { $0.type == earlier.rawValue }, "\(earlier)")
            _ = try state.apply(try event(try sample.body(), after: state))
        }
        return state
    }

    @Test("every sample of every schema version folds, changes its rows, and reloads", arguments: EventType.allCases)
    func fold(_ type: EventType) throws {
        let samples = try StoredSample.all().filter { $0.type == type.rawValue }
        #expect(!samples.isEmpty)
        for sample in samples {
            let story = try story(before: type)
            var state = story
            let touched = try state.apply(try event(try sample.body(), after: state))
            let changed = Set(touched.map(\.collection)).subtracting([.stream, .devices])
            #expect(changed.isEmpty == Self.conditional.contains(type), "\(sample.testDescription) folds to nothing")
            let rows = Dictionary(
                uniqueKeysWithValues: state.rowKeys.compactMap { key in
                    state.row(key).map { (key, $0) }
                })
            let reloaded = try UserState(user: state.user, version: state.version, rows: rows)
            #expect(reloaded.rowKeys == state.rowKeys)
            for (key, row) in rows { #expect(reloaded.row(key) == row, "\(sample.testDescription): \(key)") }
        }
    }

    @Test("a sample with fields of a later schema folds to the same rows", arguments: EventType.allCases)
    func laterFields(_ type: EventType) throws {
        var later = ProtoWriter()
        later.string(100, "from a later schema")
        let sample = try #require(
            try StoredSample.all(of: FocusWire.payloadSchemaVersion).first { $0.type == type.rawValue })
        var (plain, extended) = (try story(before: type), try story(before: type))
        _ = try plain.apply(try event(try sample.body(), after: plain))
        _ = try extended.apply(try event(try sample.body(adding: later.bytes), after: extended))
        #expect(plain.rowKeys == extended.rowKeys)
        for key in plain.rowKeys { #expect(plain.row(key) == extended.row(key), "\(key)") }
    }

    @Test("all samples fold as one history, in the catalogue's order, to the bytes that this version of the fold makes")
    func history() throws {
        var state = UserState(user: UserID(SampleEvents.id(2)))
        for type in EventType.allCases {
            for sample in try StoredSample.all() where sample.type == type.rawValue {
                _ = try state.apply(try event(try sample.body(), after: state))
            }
        }
        #expect(state.version.rawValue >= Int64(EventType.allCases.count))
        var digests = FoldDigests()
        digests.add(state)
        let differences = try digests.differences(over: "samples_\(EventType.allCases.count)")
        #expect(differences.isEmpty, "\(FoldDigests.advice)\n\(differences.joined(separator: "\n"))")
    }
}
