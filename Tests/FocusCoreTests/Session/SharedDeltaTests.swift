import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Shared deltas") struct SharedDeltaTests {
    private static let log = LogID(Stage.uuid(7))

    /// Views of every scope, class and choice of collections, each for several devices.
    private static func views() -> [View] {
        var views: [View] = []
        for device in HistoryMaker.devices {
            for scope in [Scope.system, .system, .app(.chat), .app(.mail)] {
                for collections in [nil, nil, Set<RowCollection>([.badges]), [.refusals, .alerts]] {
                    for deviceClass in [DeviceClass.phone, .watch] {
                        views.append(
                            View(scope: scope, device: device, deviceClass: deviceClass, collections: collections))
                    }
                }
            }
        }
        return views
    }

    @Test(
        "S7, E2: what a session gets of a delta made for another one is what its own would be, byte by byte",
        arguments: 1...12 as ClosedRange<UInt64>)
    func same(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        var sessions = Self.views().map { Subscription(view: $0, log: Self.log, resumingAt: nil, pageBytes: 4_000) }
        var (taken, refused) = (0, 0)
        for step in 0..<120 {
            if Int.random(in: 0..<5, using: &random) == 0 {
                stage.refuse(from: HistoryMaker.devices.randomElement(using: &random)!, at: Double(step))
                refused += 1
            } else {
                HistoryMaker.step(&stage, at: Double(step), using: &random)
            }
            var made: [SharedDelta: [ServerMessage]] = [:]
            for index in sessions.indices where Int.random(in: 0..<4, using: &random) > 0 {
                for _ in 0..<50 where sessions[index].liveVersion != stage.state.version {
                    let next = sessions[index].nextDelta(stage.state)
                    var own = sessions[index]
                    let messages = own.advance(stage.state)
                    if let next, let shared = made[next] {
                        #expect(shared == messages, "seed \(seed), step \(step), \(own.view)")
                        sessions[index].adopt(next)
                        #expect(sessions[index].liveVersion == own.liveVersion && sessions[index].owesCheckpoint)
                        taken += 1
                        continue
                    }
                    if let next, stage.state.mayShare(messages, of: next) { made[next] = messages }
                    sessions[index] = own
                }
            }
        }
        #expect(taken > 500 && refused > 5)
    }

    /// Sends what there is until the session is live.
    private func advance(
        _ session: inout Subscription, to state: UserState, beforeEach check: (Subscription) -> Void = { _ in }
    ) throws {
        var pages = 0
        while session.liveVersion != state.version {
            check(session)
            _ = session.advance(state)
            pages += 1
            try #require(pages < 1_000)
        }
    }

    @Test("E2: a delta with a refusal is not shared")
    func refusals() throws {
        var stage = Stage.ready()
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        var session = Subscription(view: view, log: Self.log, resumingAt: nil)
        try advance(&session, to: stage.state)
        stage.post("n", at: 1)
        stage.refuse(from: .tablet, at: 2)
        let delta = try #require(session.nextDelta(stage.state))
        // The view of this device shows nothing of the refusal, and the delta is not shared all the same.
        let messages = session.advance(stage.state)
        #expect(!stage.state.mayShare(messages, of: delta))
        stage.post("m", at: 3)
        let next = try #require(session.nextDelta(stage.state))
        #expect(stage.state.mayShare(session.advance(stage.state), of: next))
    }

    @Test("S1: pages, of a snapshot or a long delta, are not shared")
    func pages() throws {
        var stage = Stage.ready()
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        var session = Subscription(view: view, log: Self.log, resumingAt: nil, pageBytes: 200)
        try advance(&session, to: stage.state) { #expect($0.nextDelta(stage.state) == nil) }
        for number in 0..<10 { stage.post("n\(number)", at: 1) }
        let delta = try #require(session.nextDelta(stage.state))
        let messages = session.advance(stage.state)
        #expect(session.liveVersion == nil && !stage.state.mayShare(messages, of: delta))
    }
}

extension Stage {
    /// Logs a refused event; only its own device is told.
    fileprivate mutating func refuse(from device: DeviceID, at second: Double) {
        let forbidden = EventBody.eventRefused(EventRefused(type: "", code: "", message: ""))
        _ = send(forbidden, app: .chat, from: device, at: second)
    }
}
