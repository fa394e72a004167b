import FocusCore
import Support
import Testing

@testable import SyncServer

@Suite("Peers", .fewAtATime) struct PeerTests {
    private let app = AppID("com.example.chat")!
    private let mail = AppID("com.example.mail")!

    private func status(_ user: UserID, _ isFocused: Bool?) -> PeerStatus {
        PeerStatus(user: user, app: app, isFocused: isFocused)
    }

    /// A viewer on a server whose clock stands still, and a user on another server who shares with the viewer.
    private func stage(
        _ body: (ManualTime, WireClient, Sharer, UserID, TestServer) async throws -> Void
    ) async throws {
        let time = ManualTime()
        let first = try await TestServer.start(clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        let viewer = UserID.random()
        let (client, _) = try await WireClient.open(first, user: viewer, scope: .app(app))
        let sharer = try await Sharer(second, apps: [app.rawValue], with: [viewer])
        try await body(time, client, sharer, viewer, first)
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("V1: on two servers a change is told as soon as the other server hears of it, before its poll is due")
    func twoServers() async throws {
        try await stage { time, client, sharer, _, _ in
            try await client.send(.watch([sharer.user]))
            #expect(try await client.statuses().statuses == [status(sharer.user, false)])
            for round in 0..<4 {
                // The interval of rule V4 has passed, and so has a poll, which finds nothing yet.
                time.advance(milliseconds: 250)
                try await client.flush()
                try await sharer.say([Sharer.focus(round % 2 == 0)])
                #expect(try await client.statuses().statuses == [status(sharer.user, round % 2 == 0)])
            }
        }
    }

    @Test("V2: no status later than a removal reaches the removed viewer; a delayed one is decided when it is told")
    func removal() async throws {
        try await stage { time, client, sharer, viewer, server in
            try await client.send(.watch([sharer.user]))
            #expect(try await client.statuses().statuses == [status(sharer.user, false)])
            // The change is delayed (rule V4), because the viewer's clock stands still; then the viewer is removed, and
            // further changes follow.
            try await sharer.say([Sharer.focus(true)])
            try await sharer.say(sharer.remove(viewer))
            try await sharer.say([Sharer.focus(false), Sharer.focus(true)])
            // A turn of the sharer's lane that begins now knows of the removal; one that began before may not.
            await (try await WireClient.open(server, user: sharer.user)).client.close()
            time.advance(milliseconds: 250)
            #expect(try await client.statuses().statuses == [status(sharer.user, nil)])
            for isFocused in [false, true, false] {
                try await sharer.say([Sharer.focus(isFocused)])
                time.advance(milliseconds: 250)
            }
            // The same lane answers the new Watch, so nothing came in between.
            try await client.send(.watch([sharer.user]))
            #expect(try await client.statuses().statuses == [status(sharer.user, nil)])
            try await sharer.say([Sharer.focus(true)] + sharer.add(viewer))
            time.advance(milliseconds: 250)
            #expect(try await client.statuses().statuses == [status(sharer.user, true)])
        }
    }

    @Test("V2: removals race with statuses on two servers: what a viewer hears was so when it was a member")
    func races() async throws {
        let first = try await TestServer.start()
        let second = try await TestServer.start(conninfo: first.conninfo)
        let viewer = UserID.random()
        let (client, _) = try await WireClient.open(first, user: viewer, scope: .app(app))
        let sharer = try await Sharer(second, apps: [app.rawValue], with: [viewer])
        try await client.send(.watch([sharer.user]))
        #expect(try await client.statuses().statuses == [status(sharer.user, false)])
        // While the viewer is a member the Focus is off; it is on only while the viewer is not.
        for _ in 0..<15 {
            try await sharer.say(sharer.remove(viewer))
            try await sharer.say([Sharer.focus(true)])
            try await sharer.say([Sharer.focus(false)])
            try await sharer.say(sharer.add(viewer))
        }
        try await sharer.say(sharer.remove(viewer))
        try await sharer.say([Sharer.focus(true)])
        var heard: [PeerStatus] = []
        let deadline = ContinuousClock.now + .seconds(180)
        repeat {
            try #require(ContinuousClock.now < deadline, "the removal is never told")
            try await client.send(.watch([sharer.user]))
            heard += try await client.statuses().statuses
            #expect(!heard.contains(status(sharer.user, true)), "\(heard)")
        } while heard.last != status(sharer.user, nil)
        try await sharer.say(sharer.add(viewer))
        while try await client.statuses().statuses.last != status(sharer.user, true) {}
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("V3: statuses end; the server tells again in time what it can confirm, and nothing while it cannot")
    func renewal() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let viewer = UserID.random()
        let (client, _) = try await WireClient.open(server, user: viewer, scope: .app(app))
        let sharer = try await Sharer(server, apps: [app.rawValue], with: [viewer])
        let nobody = UserID.random()
        try await client.send(.watch([nobody]))
        _ = try await client.statuses()
        try await client.send(.watch([sharer.user]))
        let told = try await client.statuses()
        #expect(told.serverTime == time.wall)
        #expect(told.validUntil == time.wall.adding(microseconds: 60_000_000))
        time.advance(milliseconds: 19_999)
        try await client.append(from: 1, [.of(.audienceChanged(AudienceChanged(add: [viewer])), app: app.rawValue)])
        let early = try await client.next()
        if case .peerStatuses = early { Issue.record("renewed before a third has passed") }
        time.advance(milliseconds: 10_001)
        let again = try await client.statuses()
        #expect(again.statuses == [status(sharer.user, false)], "what is unavailable anyhow is not told again")
        #expect(again.validUntil == time.wall.adding(microseconds: 60_000_000))
        server.server.faults.set(.headsUnanswered, true)
        time.advance(milliseconds: 60_000)
        try await client.send(.watch([sharer.user]))
        try await client.append(from: 2, [.of(.audienceChanged(AudienceChanged(add: [viewer])), app: app.rawValue)])
        var answer = try await client.next()
        // That of the first append's rows may have been under way before.
        if case .checkpoint = answer { answer = try await client.next() }
        guard case .appended = answer else {
            Issue.record("told although nothing is confirmed: \(answer)")
            return
        }
        server.server.faults.set(.headsUnanswered, false)
        #expect(try await client.statuses().statuses == [status(sharer.user, false)])
        try await server.server.stop()
    }

    @Test("V5: a server loads a user for a member of the audience who watches, and for nobody else; all are told alike")
    func loads() async throws {
        let first = try await TestServer.start()
        let (viewer, stranger) = (UserID.random(), UserID.random())
        let sharer = try await Sharer(first, apps: [app.rawValue], with: [viewer])
        // Once the read model has the user, no server has a reason of its own to load them.
        try await first.wait("the sharer's events are projected", for: TestStatement.sumCheckpoints, 5)
        let server = try await TestServer.start(conninfo: first.conninfo)
        let (other, _) = try await WireClient.open(server, user: stranger, scope: .app(app))
        let (client, _) = try await WireClient.open(server, user: viewer, scope: .app(app))
        let before = server.server.loads.loaded
        for user in [sharer.user, .random(), viewer] {
            try await other.send(.watch([user]))
            #expect(try await other.statuses().statuses == [status(user, nil)])
        }
        #expect(server.server.loads.loaded == before)
        try await client.send(.watch([sharer.user]))
        #expect(try await client.statuses().statuses == [status(sharer.user, false)])
        #expect(server.server.loads.loaded == before + 1)
        for server in [first, server] { try await server.server.stop() }
    }

    @Test("V4: of changes within 250 ms the last one is told, and none that was taken back")
    func coalesced() async throws {
        try await stage { time, client, sharer, _, _ in
            try await client.send(.watch([sharer.user]))
            #expect(try await client.statuses().statuses == [status(sharer.user, false)])
            for isFocused in [true, false, true] { try await sharer.say([Sharer.focus(isFocused)]) }
            time.advance(milliseconds: 250)
            #expect(try await client.statuses().statuses == [status(sharer.user, true)])
            for isFocused in [false, true] { try await sharer.say([Sharer.focus(isFocused)]) }
            time.advance(milliseconds: 250)
            try await client.flush()
            try await sharer.say([Sharer.focus(false)])
            time.advance(milliseconds: 250)
            #expect(try await client.statuses().statuses == [status(sharer.user, false)])
        }
    }

    @Test("V1: a system viewer hears of each app where it is a member")
    func system() async throws {
        try await TestServer.with { server in
            let viewer = UserID.random()
            let (client, _) = try await WireClient.open(server, user: viewer)
            let sharer = try await Sharer(server, apps: [app.rawValue, mail.rawValue], with: [viewer])
            let nobody = UserID.random()
            try await client.send(.watch([nobody]))
            #expect(try await client.statuses().statuses == [PeerStatus(user: nobody, app: nil, isFocused: nil)])
            try await client.send(.watch([sharer.user]))
            let both = [app, mail].map { PeerStatus(user: sharer.user, app: $0, isFocused: false) }
            let nothing = PeerStatus(user: sharer.user, app: nil, isFocused: nil)
            #expect(try await client.statuses().statuses == [nothing] + both)
            let removal = AudienceChanged(remove: [viewer])
            try await sharer.say([.of(.audienceChanged(removal), app: mail.rawValue)])
            let gone = PeerStatus(user: sharer.user, app: mail, isFocused: nil)
            #expect(try await client.statuses().statuses == [gone])
        }
    }

    @Test("A3: a viewer's device that is revoked hears no more of its peers, not even what was to be told by then")
    func revoked() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let (viewer, device) = (UserID.random(), DeviceID.random())
        let (client, _) = try await WireClient.open(server, user: viewer, device: device, scope: .app(app))
        let (owner, _) = try await WireClient.open(server, user: viewer)
        let sharer = try await Sharer(server, apps: [app.rawValue], with: [viewer])
        for device in [client, owner] {
            try await device.send(.watch([sharer.user]))
            _ = try await device.statuses()
        }
        // The change is delayed (rule V4), because the clock stands still; the revocation comes before it is told.
        try await sharer.say([Sharer.focus(true)])
        try await owner.append(from: 1, [.of(.deviceRevoked(DeviceRevoked(device: device)))])
        _ = try await owner.appended()
        time.advance(milliseconds: 250)
        #expect(try await owner.statuses().statuses.contains { $0.isFocused == true }, "who may hear does")
        let heard = await client.rest()
        #expect(!heard.contains { if case .peerStatuses = $0 { true } else { false } }, "\(heard)")
        guard case .goAway(let goAway)? = heard.last else {
            Issue.record("not sent away: \(heard)")
            return
        }
        #expect(goAway.code == .unauthenticated)
        try await server.server.stop()
    }
}
