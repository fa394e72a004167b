import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Places in the stream") struct PlacePageTests {
    /// The versions among which the event of a place is, by the runs of a page.
    private func versions(_ runs: [PlaceRun], _ sequence: Int64) -> ClosedRange<Version>? {
        runs.first { ($0.first...$0.last).contains(DeviceSequence(sequence)) }?.versions
    }

    @Test("E1: a run takes 256 events and 16 foreign versions between two of them, not one more")
    func runs() throws {
        var (near, far) = (PlacePage(), PlacePage())
        for step in Int64(0)..<257 { _ = near.add(DeviceSequence(step + 1), at: Version(1 + step * 17)) }
        #expect(near.runs.map(\.count) == [256, 1])
        for step in Int64(0)..<2 { _ = far.add(DeviceSequence(step + 1), at: Version(1 + step * 18)) }
        #expect(far.runs.map(\.count) == [1, 1])
    }

    @Test("E1: a page of 256 runs is full, reads as it was written, and takes 4 to 6 bytes a run")
    func pages() throws {
        var page = PlacePage()
        var (sequence, version) = (Int64(1), Int64(5))
        for _ in 0..<PlacePage.runLimit {
            let fits = page.add(DeviceSequence(sequence), at: Version(version))
            #expect(fits)
            sequence += 1
            version += 1_000
        }
        let isFull = !page.add(DeviceSequence(sequence), at: Version(version))
        #expect(isFull)
        let bytes = page.encoded
        #expect((4 * 256...6 * 256).contains(bytes.count))
        #expect(try PlacePage(decoding: bytes[...]) == page)
        #expect(versions(page.runs, 3) == Version(2_005)...Version(2_005))
    }

    @Test("E1: every event of a random history is in the runs that its user's state names")
    func history() throws {
        var random = SplitMix64(seed: 0x5EED_0007)
        for _ in 0..<20 {
            var state = UserState(user: .ada)
            var places: [Int64: Version] = [:]
            for _ in 0..<Int.random(in: 1...3_000, using: &random) {
                let device = Int.random(in: 0..<4, using: &random) == 0 ? DeviceID.tablet : .phone
                let next = state.lastSequence(of: device, incarnation: Incarnation(1)).next
                let version = state.version.next
                _ = try state.apply(
                    Event(
                        version: version, device: device, incarnation: Incarnation(1), sequence: next,
                        id: EventID(Stage.uuid(Int(version.rawValue))), app: .chat, occurredAt: .at(1),
                        recordedAt: .at(1), body: .badgeCleared))
                if device == .phone { places[next.rawValue] = version }
            }
            guard let last = places.keys.max() else { continue }
            let known = state.placeRuns(
                of: .phone, incarnation: Incarnation(1), DeviceSequence(1)...DeviceSequence(last))
            #expect(!known.isScanned)
            for (sequence, version) in places {
                #expect(versions(known.runs, sequence)?.contains(version) == true, "\(sequence)")
            }
        }
    }

    @Test(
        "E1: pages that no program wrote are refused",
        arguments: [[0x80], [1, 1, 0], [0, 1, 0, 0], [1, 1, 0xFF, 0x7F, 0]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: ProtoError.self) { try PlacePage(decoding: bytes[...]) }
    }
}
