import FocusCore
import Testing

@testable import FocusSyncClient

/// Restored and copied stores, and a log that lost its tail.
extension RestoredStoreTests {
    @Test("S6, P10: a log that lost its tail and went on with a copy's events gets the lost ones at new places, once")
    func displaced() throws {
        for (lost, waiting) in [(4, 0), (4, 3), (9, 0), (9, 3), (12, 0), (12, 3)] {
            var server = PlaceServer()
            let phone = try RestoredPhone()
            var events = try phone.make(5)
            try phone.synchronize(&server)
            let copy = try RestoredPhone.copy(of: phone.backUp())
            let before = server
            events += try phone.make(9)
            try phone.synchronize(&server)
            // The log loses its tail, and the copy appends first.
            server = before
            events += try copy.make(lost)
            try copy.synchronize(&server)
            events += try phone.make(waiting)
            try phone.synchronize(&server)
            try copy.synchronize(&server)
            try phone.synchronize(&server)
            let counts = server.counts
            #expect(events.allSatisfy { counts[$0] == 1 }, "\(lost) and \(waiting)")
            #expect(try !phone.store.hasQueued && !copy.store.hasQueued)
        }
    }

    @Test("P10, S6: a log that lost the end of an incarnation is told of it again by whoever heals")
    func endedAgain() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        _ = try phone.make(5)
        try phone.synchronize(&server)
        let backup = try phone.backUp()
        _ = try phone.make(5)
        try phone.synchronize(&server)
        let before = server
        try phone.restore(backup)
        let old = try phone.store.incarnation
        let events = try phone.make(5)
        try phone.synchronize(&server)
        #expect(server.isEnded(old))
        server = before
        #expect(!server.isEnded(old))
        try phone.synchronize(&server)
        #expect(server.isEnded(old) && server.endedAnew == [old])
        #expect(events.allSatisfy { server.counts[$0] == 1 })
    }

    @Test("P10: a log that lost all of an incarnation is told of its end before an event of its gets another place")
    func endedBeforeAppend() throws {
        var server = PlaceServer()
        let empty = server
        let phone = try RestoredPhone()
        let first = try phone.backUp()
        _ = try phone.make(1)
        try phone.synchronize(&server)
        try phone.restore(first)
        let events = try phone.make(1)
        let second = try phone.backUp()
        let old = try phone.store.incarnation
        while try !phone.store.incarnationIsNew(server) { #expect(try phone.connect(&server)) }
        // The store holds nothing of the old incarnation, and nothing is acknowledged in the new one: only ending the
        // old one shows what was lost.
        server = empty
        try phone.synchronize(&server)
        #expect(server.isEnded(old))
        try phone.restore(second)
        try phone.synchronize(&server)
        #expect(server.counts == [events[0]: 1])
    }

    @Test("S6, P10: what a log had of an ended incarnation is offered before it ends again, and keeps its places")
    func offeredBeforeEnd() throws {
        var server = PlaceServer()
        let empty = server
        let phone = try RestoredPhone()
        let held = try phone.make(1)
        let first = try phone.backUp()
        _ = try phone.make(1)
        try phone.synchronize(&server)
        try phone.restore(first)
        let moved = try phone.make(1)
        let second = try phone.backUp()
        try phone.synchronize(&server)
        server = empty
        try phone.synchronize(&server)
        try phone.restore(second)
        try phone.synchronize(&server)
        #expect(server.counts == [held[0]: 1, moved[0]: 1])
    }
}
