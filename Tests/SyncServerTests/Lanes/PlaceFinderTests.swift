import EventStore
import FocusCore
import Support
import Testing

@testable import SyncServer

/// What a question to the log costs whoever asks it.
@Suite struct PlaceFinderTests {
    @Test(
        "Q1: a look-up is charged by its places, ten thousand at most, whichever 64 bits a device names",
        arguments: [
            (Int64(7)...7, 1), (1...1_000, 1_000), (1...10_000, 10_000), (1...10_001, 10_000), (1...Int64.max, 10_000),
            (Int64.min...Int64.max, 10_000), (Int64.max...Int64.max, 1),
        ])
    func work(places: ClosedRange<Int64>, count: Int) {
        let question = PlaceQuestion(
            user: .random(), version: Version(5), partition: Partition(0), generation: 1, device: .random(),
            incarnation: Incarnation(1),
            places: DeviceSequence(places.lowerBound)...DeviceSequence(places.upperBound),
            known: KnownRuns(isScanned: false), anchor: nil)
        #expect(question.work == Work.lookUp + count * Work.place)
    }

    @Test("Q1: a look-up that goes through the user's whole stream is charged by its events too")
    func scanned() {
        let places = DeviceSequence(2)...DeviceSequence(2)
        let question = PlaceQuestion(
            user: .random(), version: Version(300_000), partition: Partition(0), generation: 1, device: .random(),
            incarnation: Incarnation(1), places: places, known: KnownRuns(isScanned: false), anchor: nil)
        func found(_ isScanned: Bool) -> FoundPlaces {
            FoundPlaces(places: places, filledAt: .zero, isScanned: isScanned, events: [])
        }
        #expect(question.work(found(false)) == question.work)
        #expect(question.work(found(true)) == question.work + 300_000)
        #expect(question.work(nil) == question.work + 300_000, "it may have taken too long")
    }
}
