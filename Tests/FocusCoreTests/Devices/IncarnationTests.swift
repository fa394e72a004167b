import Foundation
import Testing

@testable import FocusCore

/// A user whose devices append in several scopes and incarnations.
private struct Life {
    var state = UserState(user: .ada)
    private var last: [Incarnation: Int64] = [:]
    /// The read model of a server that projects after every event.
    private var written: [RowKey: Row] = [:]

    private func event(
        _ body: EventBody, device: DeviceID, incarnation: Int64, sequence: Int64, id: Int?, app: AppID?,
        at second: Double,
        isHealed: Bool = false
    ) -> Event {
        let version = state.version.next
        return Event(
            version: version, device: device, incarnation: Incarnation(incarnation), sequence: DeviceSequence(sequence),
            id: EventID(Stage.uuid(id ?? Int(version.rawValue))), app: app, occurredAt: .at(second),
            recordedAt: .at(100),
            body: body, isHealed: isHealed)
    }

    private mutating func apply(_ event: Event) throws {
        for key in try state.apply(event) { written[key] = state.row(key) }
    }

    mutating func server(_ body: EventBody) throws {
        let sequence = state.lastSequence(of: .server, incarnation: Incarnation(0)).next
        try apply(
            event(body, device: .server, incarnation: 0, sequence: sequence.rawValue, id: nil, app: nil, at: 100))
    }

    mutating func begin(_ incarnation: Int64, _ scope: Scope = .system) throws {
        try server(
            .deviceIncarnationBegan(
                DeviceIncarnationBegan(device: .phone, incarnation: Incarnation(incarnation), scope: scope)))
    }

    mutating func end(_ incarnation: Int64, _ scope: Scope = .system) throws {
        try server(
            .deviceIncarnationEnded(
                DeviceIncarnationEnded(device: .phone, incarnation: Incarnation(incarnation), scope: scope)))
    }

    /// Logs the next events of the incarnation.
    mutating func send(
        _ body: EventBody = .badgeCleared, in incarnation: Int64, app: AppID? = .chat, at second: Double = 50,
        count: Int = 1
    ) throws {
        for _ in 0..<count {
            let next = state.lastSequence(of: .phone, incarnation: Incarnation(incarnation)).next
            try apply(
                event(
                    body, device: .phone, incarnation: incarnation, sequence: next.rawValue, id: nil, app: app,
                    at: second))
        }
    }

    mutating func put(
        _ body: EventBody = .badgeCleared, in incarnation: Int64, at sequence: Int64, isHealed: Bool = false,
        second: Double = 50
    ) throws {
        try apply(
            event(
                body, device: .phone, incarnation: incarnation, sequence: sequence, id: nil, app: .chat, at: second,
                isHealed: isHealed))
    }

    func check(_ sequence: Int64, in incarnation: Int64) -> SequenceCheck {
        state.check(device: .phone, incarnation: Incarnation(incarnation), sequence: DeviceSequence(sequence))
    }

    func standing(_ incarnation: Int64, _ scope: Scope = .system) -> UserState.IncarnationStanding {
        state.status(of: Incarnation(incarnation), device: .phone, scope: scope).standing
    }

    /// The state of a server that loads the rows.
    func reloaded() throws -> UserState {
        try UserState(user: .ada, version: state.version, rows: state.allRows)
    }

    func expectReloadIsExact(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try reloaded().allRows == state.allRows, sourceLocation: location)
        let shown = try UserState(user: .ada, version: state.version, rows: written)
        #expect(shown.allRows == state.allRows, "projected after every event", sourceLocation: location)
    }
}

@Suite("UserState: incarnations") struct IncarnationTests {
    @Test("P10: an incarnation belongs to the scope that began it, for ever; another scope's events do not reach it")
    func ownership() throws {
        var life = Life()
        #expect(life.standing(7) == .unknown)
        try life.begin(7, .app(.chat))
        #expect(life.standing(7, .app(.chat)) == .own(isEnded: false))
        #expect(life.standing(7) == .foreign)
        try life.begin(7)
        try life.end(7)
        #expect(life.standing(7, .app(.chat)) == .own(isEnded: false))
        try life.expectReloadIsExact()
    }

    @Test("P10: an incarnation that was begun and projected before its first event stands where its events are")
    func begunBefore() throws {
        var life = Life()
        try life.send(in: 7, count: 2)
        try life.begin(7)
        try life.begin(8, .app(.chat))
        try life.expectReloadIsExact()
        try life.send(in: 7)
        try life.send(in: 8)
        try life.expectReloadIsExact()
        try life.end(8, .app(.chat))
        try life.expectReloadIsExact()
    }

    @Test("E1: what a device appended before the log knew of scopes is remembered in the scope of its next incarnation")
    func rememberedInScope() throws {
        var life = Life()
        try life.send(in: 7, count: 2)
        let event = try #require(life.state.status(of: Incarnation(7), device: .phone, scope: .system).lastEvent)
        try life.begin(8)
        #expect(life.state.remembered(event, of: .phone, .system) == .accepted)
        try life.expectReloadIsExact()
    }

    @Test("P10: an incarnation that ended has what it has; one that nobody knew ends without any")
    func ends() throws {
        var life = Life()
        try life.begin(7)
        try life.send(in: 7, count: 3)
        try life.end(7)
        try life.end(8)
        #expect(life.standing(7) == .own(isEnded: true) && life.standing(8) == .own(isEnded: true))
        #expect(life.check(3, in: 7) == .earlier && life.check(4, in: 7) == .next)
        #expect(life.state.lastSequence(of: .phone, incarnation: Incarnation(8)) == .zero)
        try life.expectReloadIsExact()
        #expect(
            try life.reloaded().status(of: Incarnation(8), device: .phone, scope: .system).standing
                == .own(isEnded: true))
    }

    @Test("P10: incarnations of earlier programs are nobody's until a scope names them, and may begin again at 1")
    func unbound() throws {
        var life = Life()
        try life.send(in: 7, count: 300)
        #expect(life.standing(7) == .unbound)
        try life.put(in: 7, at: 1)
        #expect(life.check(1, in: 7) == .earlier && life.check(2, in: 7) == .next)
        let lost = EventBody.deviceEventsLost(DeviceEventsLost(first: DeviceSequence(1), last: DeviceSequence(90)))
        try life.send(in: 7, count: 99)
        try life.put(lost, in: 7, at: 90)
        #expect(life.check(50, in: 7) == .lost && life.check(91, in: 7) == .next)
        try life.expectReloadIsExact()
        try life.begin(7)
        #expect(life.standing(7) == .own(isEnded: false))
        try life.send(in: 8, count: 3)
        try life.begin(8)
        let bound = life
        #expect(throws: FoldError.self) {
            var again = bound
            try again.put(in: 8, at: 1)
        }
    }

    @Test(
        "P10, S6: an incarnation of which all is lost is its scope's after a reload too, and takes its events back there"
    )
    func lostBeforeScope() throws {
        var life = Life()
        let lost = EventBody.deviceEventsLost(DeviceEventsLost(first: DeviceSequence(1), last: DeviceSequence(3)))
        try life.put(lost, in: 7, at: 3)
        try life.begin(7)
        try life.expectReloadIsExact()
        life.state = try life.reloaded()
        try life.put(in: 7, at: 1, isHealed: true)
        try life.send(in: 7)
        try life.expectReloadIsExact()
    }

    @Test("P10: any number of incarnations of earlier programs is kept, and 256 of them stand where those look")
    func manyUnbound() throws {
        var life = Life()
        for incarnation in 1...400 { try life.send(in: Int64(incarnation)) }
        for incarnation in 1...400 { #expect(life.check(2, in: Int64(incarnation)) == .next) }
        try life.expectReloadIsExact()
        var reader = ProtoReader(life.state.row(RowKey(.devices, key: DeviceID.phone.description))?.memo ?? [])
        var listed = 0
        while let (field, _) = try reader.next() { listed += field == 1 ? 1 : 0 }
        #expect(listed == 256)
    }

    @Test("P10: a scope begins 16 incarnations in 24 hours and no more; what the log knew before does not count")
    func aDay() throws {
        var life = Life()
        for incarnation in Int64(100)..<120 {
            try life.send(in: incarnation)
            try life.begin(incarnation)
        }
        #expect(life.state.mayBeginIncarnation(of: .phone, .system, at: .at(100)) == nil)
        for incarnation in 1...15 { try life.begin(Int64(incarnation)) }
        #expect(life.state.mayBeginIncarnation(of: .phone, .system, at: .at(100)) == nil)
        try life.begin(16)
        let free = life.state.mayBeginIncarnation(of: .phone, .system, at: .at(100))
        #expect(free == .at(100 + 24 * 3_600))
        #expect(try life.reloaded().mayBeginIncarnation(of: .phone, .system, at: .at(100)) == free)
        #expect(life.state.mayBeginIncarnation(of: .phone, .system, at: .at(100 + 24 * 3_600)) == nil)
        #expect(life.state.mayBeginIncarnation(of: .phone, .app(.chat), at: .at(100)) == nil)
    }

    @Test("P10: past 256 open incarnations of a scope, the one used longest ago is to end")
    func openLimit() throws {
        var life = Life()
        for incarnation in 1...256 {
            #expect(life.state.incarnationToEnd(of: .phone, .system) == nil)
            try life.begin(Int64(incarnation))
            try life.send(in: Int64(incarnation))
        }
        try life.send(in: 1)
        #expect(life.state.incarnationToEnd(of: .phone, .system) == Incarnation(2))
        #expect(life.state.incarnationToEnd(of: .phone, .app(.chat)) == nil)
        try life.end(2)
        #expect(life.state.incarnationToEnd(of: .phone, .system) == nil)
    }

    @Test("E3: a scope's stamps push no other scope's, and ties between scopes are the same in any order")
    func stampsOfScopes() throws {
        var life = Life()
        try life.begin(1)
        try life.begin(2, .app(.chat))
        try life.send(in: 2, at: 90)
        try life.send(.authorizationChanged(AuthorizationChanged(kind: .location, status: .denied)), in: 1, at: 10)
        #expect(life.state.apps[0][.location].status?.stamp.time == .at(10))
        let (system, app) = (
            Stamp(time: .at(1), device: .phone, sequence: DeviceSequence(1)),
            Stamp(time: .at(1), device: .phone, sequence: DeviceSequence(1), isOfApp: true)
        )
        #expect(app < system && !(system < app))
        try life.expectReloadIsExact()
    }

    @Test("S6: a lost place is empty, takes one event, and that is stamped by its own time")
    func lostPlaces() throws {
        var life = Life()
        try life.begin(7)
        let lost = EventBody.deviceEventsLost(DeviceEventsLost(first: DeviceSequence(1), last: DeviceSequence(4)))
        try life.put(lost, in: 7, at: 4)
        try life.send(.authorizationChanged(AuthorizationChanged(kind: .location, status: .denied)), in: 7, at: 60)
        #expect((1...4).allSatisfy { life.check($0, in: 7) == .lost } && life.check(5, in: 7) == .earlier)
        let monday = EventBody.authorizationChanged(AuthorizationChanged(kind: .location, status: .authorized))
        try life.put(monday, in: 7, at: 2, isHealed: true, second: 20)
        #expect(life.check(2, in: 7) == .earlier && life.check(1, in: 7) == .lost && life.check(3, in: 7) == .lost)
        #expect(life.state.apps[0][.location].status?.value == .denied)
        #expect(life.state.lastSequence(of: .phone, incarnation: Incarnation(7)) == DeviceSequence(5))
        let after = life
        #expect(throws: FoldError.self) {
            var again = after
            try again.put(monday, in: 7, at: 2, isHealed: true)
        }
        try life.expectReloadIsExact()
    }

    @Test("S6: past 1,024 lost ranges the oldest is closed: nothing fills it")
    func lostRangesAreBounded() throws {
        var life = Life()
        try life.begin(7)
        for _ in 0..<1_025 {
            let next = life.state.lastSequence(of: .phone, incarnation: Incarnation(7)).next
            try life.put(.deviceEventsLost(DeviceEventsLost(first: next, last: next)), in: 7, at: next.rawValue)
            try life.send(in: 7)
        }
        #expect(life.check(1, in: 7) == .earlier && life.check(3, in: 7) == .lost)
        try life.expectReloadIsExact()
    }
}
