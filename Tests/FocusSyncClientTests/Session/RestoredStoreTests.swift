import FocusCore
import Foundation
import SeededNumbers
import Support
import Testing

@testable import FocusSyncClient

/// Stores that were restored or copied, against a server that follows the rules: each event is logged once, and the app
/// learns the outcome of each.
@Suite("Restored stores") struct RestoredStoreTests {
    /// Far more steps than a recalling takes.
    private static let mostSteps = 500
    private static let refused = AppendOutcome.Verdict.refused(code: "app_unknown", message: "no such app")

    /// Expects that each of the events is logged once, that no event is logged twice, and that nothing waits.
    private func expectOnce(
        _ events: [EventID], _ server: PlaceServer, _ phones: RestoredPhone...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let counts = server.counts
        #expect(counts.values.allSatisfy { $0 == 1 }, "something is there twice", sourceLocation: sourceLocation)
        let missing = events.count { counts[$0] == nil }
        #expect(missing == 0, "of \(events.count) events", sourceLocation: sourceLocation)
        for phone in phones {
            #expect(try !phone.store.hasQueued && !phone.store.isRecalling, sourceLocation: sourceLocation)
            let changed = phone.verdicts.values.count { Set($0).count > 1 }
            #expect(changed == 0, "the app was told otherwise before", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "P10: a store restored at 300 of 1,000 logs each new event once, however many", arguments: [5, 700, 705, 800])
    func restoredOnce(count: Int) throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        var events = try phone.make(300)
        try phone.synchronize(&server)
        let backup = try phone.backUp()
        events += try phone.make(700)
        try phone.synchronize(&server)
        try phone.restore(backup)
        let new = try phone.make(count)
        try phone.synchronize(&server)
        try expectOnce(events + new, server, phone)
        #expect(new.allSatisfy { phone.verdicts[$0] == [.accepted] })
        #expect(server.incarnations == 2)
        #expect(phone.reports.map(\.moved) == [count])
    }

    @Test("P2, P10: what was queued in the backup and is in the log is answered as the first time, not logged again")
    func queueIsKnown() throws {
        var server = PlaceServer()
        server.recallLimit = 7
        let phone = try RestoredPhone()
        var events = try phone.make(3)
        try phone.synchronize(&server)
        let queued = try phone.make(20) + phone.make(1, type: "refused") + phone.make(4)
        let backup = try phone.backUp()
        events += try queued + phone.make(10)
        try phone.synchronize(&server)
        try phone.restore(backup)
        // More events than the first life made, so some of their places are taken and some are free.
        let new = try phone.make(12)
        try phone.synchronize(&server)
        try expectOnce(events + new, server, phone)
        #expect(queued.allSatisfy { phone.verdicts[$0]?.count == 2 })
        #expect(phone.verdicts[queued[20]] == [Self.refused, Self.refused])
    }

    @Test("P10: a store that is restored twice, each time from the first backup")
    func restoredTwice() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        var events = try phone.make(30)
        try phone.synchronize(&server)
        let queued = try phone.make(5)
        let backup = try phone.backUp()
        events += try queued + phone.make(70)
        try phone.synchronize(&server)
        for count in [3, 90] {
            try phone.restore(backup)
            events += try phone.make(count)
            try phone.synchronize(&server)
        }
        try expectOnce(events, server, phone)
    }

    @Test(
        "P10: a store restored from a backup of the restored one, made before or after its first connection, or within it"
    )
    func restoredFromSecond() throws {
        for connections in 0...3 {
            var server = PlaceServer()
            let phone = try RestoredPhone()
            var events = try phone.make(30)
            try phone.synchronize(&server)
            let first = try phone.backUp()
            events += try phone.make(70)
            try phone.synchronize(&server)
            try phone.restore(first)
            events += try phone.make(80)
            for _ in 0..<connections { _ = try phone.connect(&server) }
            let second = try phone.backUp()
            events += try phone.make(5)
            try phone.synchronize(&server)
            try phone.restore(second)
            events += try phone.make(6)
            try phone.synchronize(&server)
            try expectOnce(events, server, phone)
        }
    }

    @Test("P10: a store restored every night from the backup of the night before, for a year")
    func everyNight() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        var events: [EventID] = []
        var backup = try phone.backUp()
        for night in 0..<365 {
            events += try phone.make(1 + night % 3)
            try phone.synchronize(&server)
            let next = try phone.backUp()
            try phone.restore(backup)
            backup = next
        }
        try phone.synchronize(&server)
        try expectOnce(events, server, phone)
        #expect(try phone.store.endedIncarnations().count <= DeviceStore.endedLimit)
    }

    @Test("P10: a restored store without anything new begins an incarnation that the server does not hear of")
    func nothingNew() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        _ = try phone.make(3)
        try phone.synchronize(&server)
        let backup = try phone.backUp()
        _ = try phone.make(3)
        try phone.synchronize(&server)
        try phone.restore(backup)
        let old = try phone.store.incarnation
        try phone.synchronize(&server)
        #expect(try phone.store.incarnation != old)
        #expect(server.incarnations == 1 && !server.isEnded(old))
        let event = try phone.make(1)
        try phone.synchronize(&server)
        try expectOnce(event, server, phone)
    }

    @Test("P10: a clone that lives beside the store: what both had is logged once, what each makes too")
    func clone() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        var events = try phone.make(10)
        try phone.synchronize(&server)
        events += try phone.make(10)
        let clone = try RestoredPhone.copy(of: phone.backUp())
        for round in 1...6 {
            events += try phone.make(round) + clone.make(2 * round)
            try phone.synchronize(&server)
            try clone.synchronize(&server)
        }
        try phone.synchronize(&server)
        try expectOnce(events, server, phone, clone)
    }

    @Test("P10: copies with one queue, recalled one after the other, give its events the same places")
    func copiesAgree() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        _ = try phone.make(4)
        try phone.synchronize(&server)
        let backup = try phone.backUp()
        _ = try phone.make(4)
        try phone.synchronize(&server)
        try phone.restore(backup)
        let shared = try phone.make(6)
        let copies = [phone, try RestoredPhone.copy(of: phone.backUp())]
        for copy in copies { while try !copy.store.incarnationIsNew(server) { _ = try copy.connect(&server) } }
        #expect(try copies[0].store.incarnation == copies[1].store.incarnation)
        #expect(try copies[0].store.queued() == copies[1].store.queued())
        for copy in copies { try copy.synchronize(&server) }
        try expectOnce(shared, server, copies[0], copies[1])
        #expect(shared.allSatisfy { copies[1].verdicts[$0] == [.accepted] })
    }

    /// A phone restored to a backup with six queued events. After the backup the first life logged these six and
    /// fourteen others; the second life has made eight of its own.
    private func beforeRecalling(_ server: inout PlaceServer) throws -> (RestoredPhone, [EventID]) {
        let phone = try RestoredPhone()
        var events = try phone.make(3)
        try phone.synchronize(&server)
        events += try phone.make(6)
        let backup = try phone.backUp()
        events += try phone.make(14)
        try phone.synchronize(&server)
        try phone.restore(backup)
        return (phone, try events + phone.make(8))
    }

    @Test("P10: a process that dies between any two steps of recalling goes on with it, and nothing is logged twice")
    func deaths() throws {
        var step = 0
        while step < Self.mostSteps {
            var server = PlaceServer()
            server.recallLimit = 4
            let (phone, events) = try beforeRecalling(&server)
            let begun = phone.steps
            phone.diesAt = begun + step
            try phone.synchronize(&server)
            try expectOnce(events, server, phone)
            guard phone.steps > begun + step else { break }
            step += 1
        }
        #expect(step > 20 && step < Self.mostSteps)
    }

    @Test(
        "P10: an event that is made between any two steps of recalling is logged once, also when the store is restored then"
    )
    func madeMeanwhile() throws {
        var step = 0
        while step < Self.mostSteps {
            var server = PlaceServer()
            server.recallLimit = 4
            let (phone, events) = try beforeRecalling(&server)
            let begun = phone.steps
            (phone.makesAt, phone.diesAt) = (begun + step, begun + step + 1)
            while phone.diesAt != .max, try phone.connect(&server) {}
            let backup = try phone.backUp()
            try phone.synchronize(&server)
            try phone.restore(backup)
            let later = try phone.make(2)
            try phone.synchronize(&server)
            try expectOnce(events + phone.made + later, server, phone)
            guard phone.steps > begun + step, !phone.made.isEmpty else { break }
            step += 1
        }
        #expect(step > 20 && step < Self.mostSteps)
    }

    @Test("P10: all that was queued is in the log, and an event is made meanwhile: its place is derived too")
    func onlyTheNewOneIsLeft() throws {
        for step in 0..<24 {
            var server = PlaceServer()
            let phone = try RestoredPhone()
            var events = try phone.make(4)
            let backup = try phone.backUp()
            events += try phone.make(4)
            try phone.synchronize(&server)
            try phone.restore(backup)
            (phone.makesAt, phone.diesAt) = (phone.steps + step, phone.steps + step + 1)
            while phone.diesAt != .max, try phone.connect(&server) {}
            let second = try phone.backUp()
            try phone.synchronize(&server)
            try phone.restore(second)
            try phone.synchronize(&server)
            try expectOnce(events + phone.made, server, phone)
        }
    }

    @Test("P10: an answer that never came, and a server that has no time, are asked again")
    func errors() throws {
        var server = PlaceServer()
        server.recallLimit = 5
        let (phone, events) = try beforeRecalling(&server)
        server.refusals = [.unavailable, .overloaded, .tooMany, .tooMany]
        try phone.synchronize(&server)
        try expectOnce(events, server, phone)
        #expect(server.refusals.isEmpty)
    }

    @Test("P10: an incarnation of another scope holds nothing of this one")
    func foreign() throws {
        var server = PlaceServer()
        let phone = try RestoredPhone()
        let events = try phone.make(4)
        server.foreign = [try phone.store.incarnation]
        try phone.synchronize(&server)
        try expectOnce(events, server, phone)
        #expect(try phone.store.endedIncarnations().isEmpty)
    }

    @Test(
        "P10: a server of protocol 1 is not asked and gets nothing, is told of once a connection, and a newer one goes on"
    )
    func protocol1() throws {
        var server = PlaceServer()
        server.protocolVersion = 1
        let (phone, events) = try beforeRecalling(&server)
        let logged = server.logged
        // The device keeps looking for a newer server.
        #expect(try phone.connect(&server))
        #expect(phone.waits == 1)
        let later = try phone.make(3)
        #expect(try phone.connect(&server))
        #expect(phone.waits == 2)
        #expect(server.logged == logged)
        #expect(try phone.store.isRecalling && phone.store.queued().count == 17)
        server.protocolVersion = 2
        try phone.synchronize(&server)
        try expectOnce(events + later, server, phone)
    }
}

extension DeviceStore {
    /// Whether recalling is over and nothing is acknowledged in the new incarnation yet.
    func incarnationIsNew(_ server: PlaceServer) throws -> Bool {
        try !isRecalling && !endedIncarnations().isEmpty && queueRange.acknowledged == .zero
    }
}
