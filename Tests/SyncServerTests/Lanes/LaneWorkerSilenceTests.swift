import EventStore
import FocusCore
import FocusWire
import Foundation
import SeededNumbers
import Testing

@testable import SyncServer

/// Rule Z1 at a whole lane, over pairs of histories that differ only in what an app may not see: the very bytes that
/// the app's sessions and a peer are sent, and how many frames there are of them.
@Suite("LaneWorker: silence") struct LaneWorkerSilenceTests {
    @Test(
        "Z1: an app that appends, connects again and asks afresh gets the same bytes, and so does a peer who watches",
        arguments: 1...24 as ClosedRange<UInt64>)
    func pairs(_ seed: UInt64) throws {
        let sides = try [seed * 2, seed * 2 + 1].map { try SilentLane.play(seed, secret: $0) }
        #expect(sides.allSatisfy { $0.hidden > 40 } && sides[0].hidden != sides[1].hidden)
        for listener in SilentLane.Listener.allCases {
            let told = sides.map { $0.told[listener] ?? [] }
            // Where the app may not know of the Focus, the peer hears that nothing is known, once.
            #expect(told[0].count > (listener == .peer ? 1 - Int(seed % 2) : 40), "seed \(seed), \(listener)")
            let parted = zip(told[0], told[1]).enumerated().first { $0.element.0 != $0.element.1 }
            #expect(parted == nil, "seed \(seed), \(listener), frame \(parted?.offset ?? 0)")
            #expect(told[0].count == told[1].count, "seed \(seed), \(listener)")
        }
    }

    @Test("Z1: the same pairs part in a log of the format before", arguments: [1, 2, 3])
    func loud(_ seed: UInt64) throws {
        let sides = try [seed * 2, seed * 2 + 1].map {
            try SilentLane.play(seed, secret: $0, format: EventStore.incarnationFormat)
        }
        #expect(sides[0].told[.phone] != sides[1].told[.phone])
    }
}
