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
            user: .random(), partition: Partition(0), generation: 1, device: .random(), incarnation: Incarnation(1),
            places: DeviceSequence(places.lowerBound)...DeviceSequence(places.upperBound),
            known: KnownRuns(isScanned: false), anchor: nil)
        #expect(question.work == Work.lookUp + count * Work.place)
    }
}
